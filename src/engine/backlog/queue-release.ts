import { queueLength } from '../broker/broker.ts';
import { ownerOf } from '../broker/owner-header.ts';
import { hasCode } from '../ground/errors.ts';
import { fromColumns } from '../outbox/message-columns.ts';
import type { RefusingQueues } from '../outbox/refusing-queues.ts';
import type { Ports } from '../ports/ports.ts';
import { type Owner, WeightedTurns } from '../turns/weighted-turns.ts';
import { type BacklogRow, dueItems, dueOwners, type Stream } from './backlog-queries.ts';
import type { ShortQueues } from './short-queues.ts';

export type Releasing = Pick<Ports, 'broker' | 'clock' | 'database' | 'log'> & {
  /** How many messages of the queue can be processed at once. */
  slots(queue: string): Promise<number>;
};

const messagesPerSlot = 4;
const mostPerRound = 256;
const lanes = ['high', 'normal'] as const;
/** How often to check whose messages are in a queue that doesn't get shorter. */
const firstLookMs = 1000;
const lastLookMs = 30_000;
/** In a longer queue, filled by others, owners without messages can't be determined. */
const mostSeen = 1000;
/** Delay before retrying an item that the broker refuses because of the item, not the queue. */
const postponeMs = 3_600_000;

/** The release of one queue, and its state between rounds. */
export class QueueRelease {
  readonly #queue: string;
  readonly #parts: Releasing;
  readonly #refusing: RefusingQueues;
  readonly #short: ShortQueues;
  readonly #turns = new WeightedTurns();
  #lengthAfter = 0;
  #look: { nextAt: number; pauseMs: number; owners?: ReadonlySet<string> } | undefined;

  constructor(queue: string, parts: Releasing, refusing: RefusingQueues, short: ShortQueues) {
    this.#queue = queue;
    this.#parts = parts;
    this.#refusing = refusing;
    this.#short = short;
  }

  /** Resolves to how many items were released. */
  async round(streams: readonly Stream[]): Promise<number> {
    try {
      const status = await this.#parts.broker.status(this.#queue);
      const { ready, maxLength, paused } = status;
      const length = queueLength(status);
      const target = await this.#target(length);
      this.#lengthAfter = length;
      if (paused) return 0;
      let released = 0;
      for (const lane of lanes) {
        const open = await this.#open(streams.filter((stream) => stream.lane === lane));
        if (open.length === 0) continue;
        const before = (lane === 'high' ? ready.high : length) + released;
        const limit = (maxLength ?? Number.POSITIVE_INFINITY) - length - released;
        const room = Math.min(target - before, limit, mostPerRound - released);
        const owners = await this.#owners(open);
        if (room > 0) {
          if (lane === 'normal') this.#look = undefined;
          released += await this.#releaseTurns(open, owners, this.#turns.plan(owners, room));
        } else {
          const absent = await this.#absent(owners, length + released, Math.min(limit, target));
          released += await this.#releaseTurns(open, owners, absent);
        }
      }
      this.#lengthAfter += released;
      if (released > 0) await this.#refusing.accepted(this.#queue);
      return released;
    } catch (error) {
      await this.#refusing.refused(this.#queue, error);
      return 0;
    }
  }

  /** Four messages per slot; more if even those were used up between two rounds. */
  async #target(length: number): Promise<number> {
    const slots = Math.max(1, await this.#parts.slots(this.#queue));
    const used = Math.max(0, this.#lengthAfter - length);
    return Math.max(messagesPerSlot * slots, 2 * used);
  }

  /** The streams whose later queues are all short. */
  async #open(streams: readonly Stream[]): Promise<Stream[]> {
    const isOpen = await Promise.all(streams.map(({ route }) => this.#short.isOpen(route)));
    return streams.filter((_, index) => isOpen[index]);
  }

  async #owners(streams: readonly Stream[]): Promise<Owner[]> {
    const { clock, database } = this.#parts;
    const owners = new Map<string, Owner>();
    for (const stream of streams) {
      for (const owner of await dueOwners(database.query, stream, clock.now()).execute())
        if (!owners.has(owner.name)) owners.set(owner.name, owner);
    }
    return [...owners.values()];
  }

  /**
   * While the queue stays full for long, perhaps with messages that nobody can start, each owner without a message in it may add one:
   * those may start before the others.
   */
  async #absent(owners: readonly Owner[], length: number, room: number): Promise<string[]> {
    const now = this.#parts.clock.now();
    this.#look ??= { nextAt: now + firstLookMs, pauseMs: firstLookMs };
    if (room <= 0 || length > mostSeen || owners.length === 0) return [];
    const known = this.#look.owners;
    const isNew = known !== undefined && owners.some(({ name }) => !known.has(name));
    if (now < this.#look.nextAt && !isNew) return [];
    const messages = await this.#parts.broker.peek(this.#queue, { limit: mostSeen });
    const present = new Set(messages.map(ownerOf));
    const absent = owners.filter(({ name }) => !present.has(name)).map(({ name }) => name);
    const pauseMs = absent.length > 0 ? firstLookMs : Math.min(2 * this.#look.pauseMs, lastLookMs);
    this.#look = { nextAt: now + pauseMs, pauseMs, owners: new Set(owners.map(({ name }) => name)) };
    return absent.slice(0, room);
  }

  async #releaseTurns(
    streams: readonly Stream[],
    owners: readonly Owner[],
    turns: readonly string[],
  ): Promise<number> {
    const { database } = this.#parts;
    const counts = new Map<string, number>();
    for (const name of turns) counts.set(name, (counts.get(name) ?? 0) + 1);
    const due = await Promise.all(
      owners.map(async (owner) => ({
        owner,
        items: await this.#items(streams, owner, counts.get(owner.name) ?? 0),
      })),
    );
    const published: string[] = [];
    // Publish in the order of the turns. Publish all at once: brokers keep the order and share the cost.
    const ends = await Promise.allSettled(
      inTurns(turns, due).map(async ({ owner, item }) => {
        try {
          await this.#parts.broker.publish(this.#queue, fromColumns(item));
        } catch (error) {
          if (!hasCode(error, 'message-too-large') && !hasCode(error, 'invalid-input')) throw error;
          return this.#postpone(item, error);
        }
        published.push(item.id);
        this.#turns.charge(owner, 1);
      }),
    );
    if (published.length > 0)
      await database.query.deleteFrom('backlog').where('id', 'in', published).execute();
    const failure = ends.find((end) => end.status === 'rejected');
    if (failure) throw failure.reason;
    return published.length;
  }

  async #items(streams: readonly Stream[], owner: Owner, count: number): Promise<BacklogRow[]> {
    if (count === 0) return [];
    const { clock, database } = this.#parts;
    const some = await Promise.all(
      streams.map((stream) => dueItems(database.query, stream, owner.name, clock.now(), count).execute()),
    );
    return some
      .flat()
      .sort((a, b) => a.notBefore - b.notBefore || (a.id < b.id ? -1 : 1))
      .slice(0, count);
  }

  /** A failing item must not hold up the others. */
  async #postpone(item: BacklogRow, error: Error): Promise<void> {
    const { clock, database, log } = this.#parts;
    log.error(
      { queue: this.#queue, id: item.messageId, error: error.message },
      'an item cannot be published',
    );
    await database.query
      .updateTable('backlog')
      .set({ notBefore: clock.now() + postponeMs })
      .where('id', '=', item.id)
      .execute();
  }
}

function inTurns(
  turns: readonly string[],
  due: readonly { owner: Owner; items: readonly BacklogRow[] }[],
): { owner: Owner; item: BacklogRow }[] {
  const left = new Map(due.map(({ owner, items }) => [owner.name, { owner, items: [...items] }]));
  return turns.flatMap((name) => {
    const its = left.get(name);
    const item = its?.items.shift();
    return its && item ? [{ owner: its.owner, item }] : [];
  });
}
