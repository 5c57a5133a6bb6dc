import type { Broker, OutgoingMessage } from '../broker/broker.ts';
import { checkMessage, usualMaxBytes } from '../broker/checks.ts';
import type { Database, Queries } from '../database/database.ts';
import { chunks } from '../ground/chunks.ts';
import { PismakError } from '../ground/errors.ts';
import { newId } from '../ground/identity.ts';
import { toColumns } from '../outbox/message-columns.ts';
import type { Clock } from '../time/clock.ts';
import { WakeUp } from '../time/wake-up.ts';
import { itemsOf } from './backlog-queries.ts';
import { Door } from './door.ts';

export interface BacklogItem {
  queue: string;
  /** Owners share the queue fairly. Items of one owner go by `notBefore`, then in the order added. */
  owner: string;
  /** The owner's share: twice the weight, twice the turns. */
  weight?: number;
  /** The document, campaign or similar unit it belongs to, which is paused, resumed and cancelled as one. */
  batch: string;
  message: OutgoingMessage;
  /** Not released before this time. */
  notBefore?: number;
  /** Whether it starts paused, for a batch that is paused now. */
  paused?: boolean;
  /** The later stages that it passes: it is released only while their queues are short. */
  route?: readonly string[];
}

/**
 * Work that waits in the database until its turn comes; the queue itself holds only what will be processed soon. So a
 * large batch delays no one, and waiting work can still be paused, cancelled or postponed.
 */
export interface Backlog {
  /** Adds items in the caller's transaction. Derive message ids from their contents: a message may be sent twice. */
  add(transaction: Queries, items: readonly BacklogItem[]): Promise<void>;
  /**
   * Adds one item outside of any transaction, or publishes it at once if nothing waits before it. Resolves when it is
   * durable. Refuses it as `publish` would: `queue-unknown`, `queue-full` (items that wait here count), `message-too-large`.
   */
  send(item: BacklogItem): Promise<void>;
  /** Call this after the commit; otherwise the items are noticed up to a second later. */
  wake(): void;
  /** Stops releasing the batch, except for items just being handed over. Resolves to the number waiting. */
  pause(batch: string): Promise<number>;
  resume(batch: string): Promise<number>;
  /** Deletes the items not yet released. Resolves to their number. */
  cancel(batch: string): Promise<number>;
  /** Deletes all items for a queue. Resolves to their number. */
  purge(queue: string): Promise<number>;
  /** How many items of a batch wait here. */
  count(batch: string): Promise<{ waiting: number; paused: number }>;
  readonly wakeUp: WakeUp;
}

const rowsPerInsert = 500;
/** Large batches are changed in parts, so that others can write in between. */
const rowsPerChange = 5000;

/** `add` of a backlog, for programs that have only its database. */
export async function addToBacklog(
  clock: Clock,
  transaction: Queries,
  items: readonly BacklogItem[],
): Promise<void> {
  const now = clock.now();
  for (const some of chunks(items, rowsPerInsert)) {
    await transaction
      .insertInto('backlog')
      .values(some.map((item) => toRow(item, newId(clock), now)))
      .execute();
  }
}

export function createBacklog(parts: { broker: Broker; database: Database; clock: Clock }): Backlog {
  const { broker, database, clock } = parts;
  const wakeUp = new WakeUp();
  const door = new Door(parts);

  async function setPaused(batch: string, paused: 0 | 1): Promise<number> {
    const changed = await inParts(async () => {
      const some = itemsOf(database.query, 'batch', batch, rowsPerChange).where('paused', '=', 1 - paused);
      const result = await database.query
        .updateTable('backlog')
        .set({ paused })
        .where('id', 'in', some)
        .executeTakeFirst();
      return Number(result.numUpdatedRows);
    });
    wakeUp.wake();
    return changed;
  }

  const deleteWhere = (column: 'batch' | 'queue', value: string) =>
    inParts(async () => {
      const some = itemsOf(database.query, column, value, rowsPerChange);
      const result = await database.query.deleteFrom('backlog').where('id', 'in', some).executeTakeFirst();
      return Number(result.numDeletedRows);
    });

  return {
    wakeUp,
    wake: () => wakeUp.wake(),
    add: (transaction, items) => addToBacklog(clock, transaction, items),

    async send(item) {
      checkMessage(item.message, usualMaxBytes);
      if (await door.isOpen(item)) return broker.publish(item.queue, item.message);
      await addToBacklog(clock, database.query, [item]);
      wakeUp.wake();
    },

    pause: (batch) => setPaused(batch, 1),
    resume: (batch) => setPaused(batch, 0),

    cancel: (batch) => deleteWhere('batch', batch),
    purge: (queue) => deleteWhere('queue', queue),

    async count(batch) {
      const rows = await database.query
        .selectFrom('backlog')
        .select(({ fn }) => ['paused', fn.countAll().as('count')])
        .where('batch', '=', batch)
        .groupBy('paused')
        .execute();
      const of = (paused: number) => Number(rows.find((row) => row.paused === paused)?.count ?? 0);
      return { waiting: of(0), paused: of(1) };
    },
  };
}

async function inParts(change: () => Promise<number>): Promise<number> {
  let total = 0;
  for (;;) {
    const changed = await change();
    total += changed;
    if (changed < rowsPerChange) return total;
  }
}

function toRow({ message, weight = 1, paused = false, ...item }: BacklogItem, id: string, now: number) {
  if (!(weight > 0 && weight < 1e6)) {
    throw new PismakError('invalid-input', `the weight of ${item.owner} is ${weight}, but must be above 0`);
  }
  const { queue, owner, batch, notBefore = now, route = [] } = item;
  return {
    id,
    queue,
    owner,
    batch,
    route: route.join(),
    weight,
    notBefore,
    paused: paused ? 1 : 0,
    createdAt: now,
    ...toColumns(message),
  };
}
