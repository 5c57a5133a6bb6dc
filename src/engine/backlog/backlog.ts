import type { OutgoingMessage } from '../broker/broker.ts';
import type { Database, Queries } from '../database/database.ts';
import { PismakError } from '../errors.ts';
import { newId } from '../identity.ts';
import { toColumns } from '../outbox/message-columns.ts';
import { Bell } from '../time/bell.ts';
import type { Clock } from '../time/clock.ts';

export interface BacklogItem {
  queue: string;
  /** Between owners the queue is shared fairly; within one, items go in the order of `notBefore`, then of adding. */
  owner: string;
  /** The owner's share: twice the weight, twice the turns. */
  weight?: number;
  /** What it belongs to (a document, a campaign): paused, resumed and cancelled as one. */
  batch: string;
  message: OutgoingMessage;
  /** Kept back until then. */
  notBefore?: number;
  /** Added to a batch that is paused now. */
  paused?: boolean;
}

/**
 * Work that waits in the Database until its turn comes: in the queue itself there is only what will be worked on soon.
 * So a big batch keeps nobody waiting, and what is here can still be paused, cancelled or kept back.
 */
export interface Backlog {
  /** In the caller's transaction. The messages' ids should follow from what they stand for: they may be sent twice. */
  add(transaction: Queries, items: readonly BacklogItem[]): Promise<void>;
  /** To be called after the commit: otherwise it takes a second until the items are noticed. */
  wake(): void;
  /** From then on nothing of the batch is released, but for what is just being handed over. Resolves to how many wait. */
  pause(batch: string): Promise<number>;
  resume(batch: string): Promise<number>;
  /** Deletes what has not been released yet. Resolves to how many items that were. */
  cancel(batch: string): Promise<number>;
  /** How many items of a batch wait here. */
  count(batch: string): Promise<{ waiting: number; paused: number }>;
  readonly bell: Bell;
}

const rowsPerInsert = 500;
/** Big batches are changed in parts, so that others can write in between. */
const rowsPerChange = 5000;

export function createBacklog({ database, clock }: { database: Database; clock: Clock }): Backlog {
  const bell = new Bell();

  async function setPaused(batch: string, paused: 0 | 1): Promise<number> {
    const changed = await inParts(async () => {
      const some = database.query
        .selectFrom('backlog')
        .select('id')
        .where('batch', '=', batch)
        .where('paused', '=', 1 - paused)
        .limit(rowsPerChange);
      const result = await database.query
        .updateTable('backlog')
        .set({ paused })
        .where('id', 'in', some)
        .executeTakeFirst();
      return Number(result.numUpdatedRows);
    });
    bell.ring();
    return changed;
  }

  return {
    bell,
    wake: () => bell.ring(),

    async add(transaction, items) {
      const now = clock.now();
      for (let start = 0; start < items.length; start += rowsPerInsert) {
        const some = items.slice(start, start + rowsPerInsert);
        await transaction
          .insertInto('backlog')
          .values(some.map((item) => toRow(item, newId(clock), now)))
          .execute();
      }
    },

    pause: (batch) => setPaused(batch, 1),
    resume: (batch) => setPaused(batch, 0),

    cancel: (batch) =>
      inParts(async () => {
        const some = database.query
          .selectFrom('backlog')
          .select('id')
          .where('batch', '=', batch)
          .limit(rowsPerChange);
        const result = await database.query.deleteFrom('backlog').where('id', 'in', some).executeTakeFirst();
        return Number(result.numDeletedRows);
      }),

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
  const { queue, owner, batch, notBefore = now } = item;
  return {
    id,
    queue,
    owner,
    batch,
    weight,
    notBefore,
    paused: paused ? 1 : 0,
    createdAt: now,
    ...toColumns(message),
  };
}
