import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { type Clock, sleep } from '../../time/clock.ts';
import { endsWithin } from '../../time/deadline.ts';
import { queueBroken, queueUnknown, type RabbitLink } from './link.ts';
import { isMarker, type RecordStream } from './record-stream.ts';
import { queueExists } from './server-queues.ts';

const againMs = 500;
/** How many recent records to remember as seen. */
const rememberedRecords = 10_000;
const quietMs = 10_000;

/** A change of one queue. Missing fields stay as they are. */
const change = z.object({
  queue: z.string(),
  maxLength: z.int().nullable().optional(),
  paused: z.boolean().optional(),
  /** It has a door from now on. */
  door: z.literal(true).optional(),
  /** A delay step that has its queue from now on. */
  delay: z.int().optional(),
  /** Why the server refuses the queue; null: it has it. */
  broken: z.string().nullable().optional(),
  removed: z.literal(true).optional(),
  marker: z.string().optional(),
});
type Change = z.infer<typeof change>;

export interface KnownQueue {
  maxLength: number | null;
  paused: boolean;
  delays: ReadonlySet<number>;
  broken: string | null;
  hasDoor: boolean;
}

/**
 * The queues, and what the server cannot keep about them: it has no list for clients, no pause, and no limits that can
 * change. Kept in a stream that every process follows, so all processes obey a pause at once.
 */
export class Registry {
  readonly #stream: RecordStream;
  readonly #link: RabbitLink;
  readonly #clock: Clock;
  readonly #queues = new Map<string, KnownQueue>();
  readonly #onChange: (queue: string) => void;
  readonly #closing = new AbortController();
  readonly #waiting = new Map<string, () => void>();
  readonly #heardMarkers = new Set<string>();
  #next = 0;
  #beginAnew = () => {};
  #following: Promise<void> | undefined;

  constructor(stream: RecordStream, link: RabbitLink, clock: Clock, onChange: (queue: string) => void) {
    this.#stream = stream;
    this.#link = link;
    this.#clock = clock;
    this.#onChange = onChange;
  }

  async open(): Promise<void> {
    this.#following = this.#follow();
    await this.sync();
  }

  names(): string[] {
    return [...this.#queues.keys()].sort();
  }

  /** The queues that the server refuses, and why. */
  broken(): Map<string, string> {
    return new Map(
      [...this.#queues].flatMap(([queue, { broken }]) => (broken === null ? [] : [[queue, broken]])),
    );
  }

  find(queue: string): KnownQueue | undefined {
    return this.#queues.get(queue);
  }

  /** Fails with `queue-unknown` only after reading all changes, and with `queue-broken` if the server can't have it. */
  async get(queue: string): Promise<KnownQueue> {
    const known = await this.getEvenBroken(queue);
    if (known.broken !== null) throw queueBroken(queue, known.broken);
    return known;
  }

  async getEvenBroken(queue: string): Promise<KnownQueue> {
    // Sync only for existing queues: questions about made-up names must not grow the stream.
    if (!this.#queues.has(queue) && (await queueExists(this.#link, queue))) await this.sync();
    const known = this.#queues.get(queue);
    if (!known) throw queueUnknown(queue);
    return known;
  }

  /** Resolves when the change is durable and known here. */
  change(one: Change): Promise<void> {
    return this.#append(one);
  }

  /** Waits until all earlier changes by other processes are known here. */
  sync(): Promise<void> {
    return this.#append({});
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#beginAnew();
    for (const resolve of this.#waiting.values()) resolve();
    await this.#following;
  }

  /** We read our own changes from the stream, like every process, so all processes see the same order. */
  async #append(record: object): Promise<void> {
    const marker = randomUUID();
    const heard = new Promise<void>((resolve) => this.#waiting.set(marker, resolve));
    try {
      await this.#stream.append({ ...record, marker });
      // The server may forget our subscription; a new one reads everything.
      while (!(await endsWithin(this.#clock, quietMs, heard))) this.#beginAnew();
    } finally {
      this.#waiting.delete(marker);
    }
  }

  async #follow(): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      try {
        await this.#link.use(async (channel) => {
          const ended = Promise.withResolvers<void>();
          this.#beginAnew = ended.resolve;
          channel.on('close', () => ended.resolve());
          const from = this.#next === 0 ? 'first' : this.#next;
          const following = this.#stream.follow(channel, from, (record, place) => {
            this.#next = place + 1;
            this.#heard(record);
          });
          following.catch(ended.reject);
          await ended.promise;
        }, signal);
      } catch {
        // The server is away: read the missed changes when it is back.
      }
      await sleep(this.#clock, againMs, signal);
    }
  }

  #heard(record: unknown): void {
    const { data } = change.safeParse(record);
    if (data && !this.#wasHeard(data.marker)) this.#apply(data);
    for (const [marker, resolve] of this.#waiting) if (isMarker(record, marker)) resolve();
  }

  /** A record resent because its confirm was lost must not undo later changes. */
  #wasHeard(marker: string | undefined): boolean {
    if (marker === undefined) return false;
    if (this.#heardMarkers.has(marker)) return true;
    this.#heardMarkers.add(marker);
    const [oldest = ''] = this.#heardMarkers;
    if (this.#heardMarkers.size > rememberedRecords) this.#heardMarkers.delete(oldest);
    return false;
  }

  #apply(one: Change): void {
    const known = this.#queues.get(one.queue) ?? {
      maxLength: null,
      paused: false,
      delays: new Set(),
      broken: null,
      hasDoor: false,
    };
    if (one.removed) this.#queues.delete(one.queue);
    else {
      this.#queues.set(one.queue, {
        maxLength: one.maxLength === undefined ? known.maxLength : one.maxLength,
        paused: one.paused ?? known.paused,
        delays: one.delay === undefined ? known.delays : new Set([...known.delays, one.delay]),
        broken: one.broken === undefined ? known.broken : one.broken,
        hasDoor: one.door ?? known.hasDoor,
      });
    }
    this.#onChange(one.queue);
  }
}
