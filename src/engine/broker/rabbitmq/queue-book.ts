import { z } from 'zod';

/** A change of one queue. Missing fields stay as they are. */
export const change = z.object({
  queue: z.string(),
  maxLength: z.int().nullable().optional(),
  paused: z.boolean().optional(),
  /** It has an inbox from now on. */
  inbox: z.literal(true).optional(),
  /** A delay step that has its queue from now on. */
  delay: z.int().optional(),
  /** Why the server refuses the queue; null: it has it. */
  broken: z.string().nullable().optional(),
  removed: z.literal(true).optional(),
  marker: z.string().optional(),
});
export type Change = z.infer<typeof change>;

/** The result of all changes up to an offset. The server deletes old changes, and processes that start later begin with this. */
const snapshot = z.object({
  upTo: z.int(),
  snapshot: z.record(
    z.string(),
    z.object({
      maxLength: z.int().nullable(),
      paused: z.boolean(),
      delays: z.array(z.int()),
      broken: z.string().nullable(),
      hasInbox: z.boolean().default(false),
    }),
  ),
});

export interface KnownQueue {
  maxLength: number | null;
  paused: boolean;
  delays: ReadonlySet<number>;
  broken: string | null;
  hasInbox: boolean;
}

/**
 * The server itself uses an offset now and then. If more are missing, it has deleted records: always a whole segment of
 * them, which is far more.
 */
const mostSkipped = 10;

/** The queues, from the records of the stream, read in order. */
export class QueueBook {
  readonly queues = new Map<string, KnownQueue>();
  /** The offset of the next record. */
  next = 0;
  /** Changes since a gap in what we read, until a snapshot closes it. Undefined: there is no gap. */
  #sinceGap: { offset: number; one: Change }[] | undefined;
  #gapEnd = 0;

  /** Takes a record; a change is ignored if `isNew` denies it. Returns the queues that may have changed. */
  take(record: unknown, offset: number, isNew: (marker: string | undefined) => boolean): string[] {
    if (offset > this.next + mostSkipped) {
      this.#sinceGap = [];
      this.#gapEnd = offset;
    }
    this.next = offset + 1;
    const found = snapshot.safeParse(record).data;
    if (found) return this.#close(found);
    const { data: one } = change.safeParse(record);
    if (!one || !isNew(one.marker)) return [];
    this.#sinceGap?.push({ offset, one });
    this.#apply(one);
    return [one.queue];
  }

  /** The record of what is known now; undefined while that may be incomplete. */
  snapshot(): z.infer<typeof snapshot> | undefined {
    if (this.#sinceGap) return undefined;
    const all = [...this.queues].map(([name, queue]) => [name, { ...queue, delays: [...queue.delays] }]);
    return { upTo: this.next - 1, snapshot: Object.fromEntries(all) };
  }

  #close({ upTo, snapshot: all }: z.infer<typeof snapshot>): string[] {
    // Without a gap we know more already. One from before the gap ends doesn't reach across it.
    if (!this.#sinceGap || upTo + 1 < this.#gapEnd) return [];
    const later = this.#sinceGap.filter(({ offset }) => offset > upTo);
    this.#sinceGap = undefined;
    const before = [...this.queues.keys()];
    this.queues.clear();
    for (const [name, queue] of Object.entries(all))
      this.queues.set(name, { ...queue, delays: new Set(queue.delays) });
    for (const { one } of later) this.#apply(one);
    return [...new Set([...before, ...this.queues.keys()])];
  }

  #apply(one: Change): void {
    const known = this.queues.get(one.queue) ?? unknown;
    if (one.removed) this.queues.delete(one.queue);
    else {
      this.queues.set(one.queue, {
        maxLength: one.maxLength === undefined ? known.maxLength : one.maxLength,
        paused: one.paused ?? known.paused,
        delays: one.delay === undefined ? known.delays : new Set([...known.delays, one.delay]),
        broken: one.broken === undefined ? known.broken : one.broken,
        hasInbox: one.inbox ?? known.hasInbox,
      });
    }
  }
}

const unknown: KnownQueue = {
  maxLength: null,
  paused: false,
  delays: new Set(),
  broken: null,
  hasInbox: false,
};
