import { type QueueStatus, queueLength } from '../broker/broker.ts';
import type { Coordination } from '../coordination/coordination.ts';
import type { Database, Queries } from '../database/database.ts';
import { chunks } from '../ground/chunks.ts';
import type { Ports } from '../ports/ports.ts';
import type { Stage } from '../stage/stage.ts';
import type { Stages } from '../stage/stages.ts';
import type { Clock } from '../time/clock.ts';

/**
 * Ends work that waits in queues or runs on workers. The list of cancelled work is in the Database, so that it changes
 * together with the state of the document or campaign; the node `/cancelled` changes after it, and workers watch that.
 *
 *     await database.transaction(async (transaction) => {
 *       // ... set the state of the document ...
 *       await cancellations.add(transaction, { owner, names: [document] });
 *     });
 *     await cancellations.announce();
 *
 * A worker that takes or is running a cancelled request ends it at once: the request goes to its output queue with
 * status Failed and the log `cancelled`, and is not retried. The caller must delete what waits in the backlog.
 */
export interface Cancellations {
  /** `names` are batches or uuids of requests; only this owner's requests are ended. Safe to repeat. */
  add(transaction: Queries, work: { owner: string; names: readonly string[] }): Promise<void>;
  /** Call this after the commit. Without it, workers notice up to a minute later. */
  announce(): Promise<void>;
  /** Forgets entries that can no longer be in any queue. */
  forgetOld(): Promise<number>;
}

export const cancelledPath = '/cancelled';

/** The last line in the log of a cancelled request. */
export const cancelledLog = 'cancelled';

/** The longest time until a cancelled request may be published, by the backlog or by a worker that has not heard of it. */
const lateMs = 10 * 60_000;
/** The list is in memory in every worker process. */
const most = 10_000;

export function createCancellations(
  parts: Pick<Ports, 'broker' | 'coordination'> & { stages: Stages } & { database: Database; clock: Clock },
): Cancellations {
  const { broker, clock, coordination, database, stages } = parts;
  return {
    async add(transaction, { owner, names }) {
      const at = clock.now();
      for (const some of chunks(names, 500)) {
        await transaction
          .insertInto('cancelled')
          .values(some.map((name) => ({ owner, name, at })))
          .onConflict((conflict) => conflict.columns(['owner', 'name']).doUpdateSet({ at }))
          .execute();
      }
    },

    announce: () => announce(coordination, database.query),

    async forgetOld() {
      const oldest = await database.query
        .selectFrom('cancelled')
        .select(({ fn }) => fn.min('at').as('at'))
        .executeTakeFirst();
      if (oldest?.at === null || oldest?.at === undefined) return 0;
      // Items in the backlog are published later; ids sort by time.
      const waiting = await database.query
        .selectFrom('backlog')
        .select('createdAt')
        .orderBy('id')
        .limit(1)
        .executeTakeFirst();
      const before = Math.min(
        await leftNothingBefore(await stages.list(), () => broker.status(), clock.now()),
        waiting?.createdAt ?? clock.now(),
      );
      const old = await database.query.deleteFrom('cancelled').where('at', '<', before).executeTakeFirst();
      const excess = await forgetExcess(database.query);
      // Announce even if nothing was forgotten: the process that cancelled may have died before it announced.
      await announce(coordination, database.query);
      return Number(old.numDeletedRows) + excess;
    },
  };
}

/** Sets the node to the current content of the table; watchers learn of it if it changed. */
async function announce(coordination: Coordination, queries: Queries): Promise<void> {
  const { at, count } = await queries
    .selectFrom('cancelled')
    .select(({ fn }) => [fn.max('at').as('at'), fn.countAll().as('count')])
    .executeTakeFirstOrThrow();
  const value = `${at ?? 0}/${count}`;
  if ((await coordination.get(cancelledPath))?.value !== value) await coordination.set(cancelledPath, value);
}

/**
 * Cancellations older than this moment are in no stage's queue any more. A worker that sees a cancelled request moves it
 * to its output queue; so one that still waits was published, or came back after its longest delay, soon after it was
 * cancelled. If even the oldest waiting message came later than that, the cancelled one is gone.
 */
async function leftNothingBefore(
  stages: readonly Stage[],
  status: () => Promise<QueueStatus[]>,
  now: number,
): Promise<number> {
  const queues = new Map((await status()).map((queue) => [queue.name, queue]));
  return stages.reduce((before, { name, retry }) => {
    const queue = queues.get(name);
    const waitsSince = queue && queueLength(queue) > 0 ? (queue.oldestAt ?? 0) : now;
    return Math.min(before, waitsSince - retry.maxDelayMs - lateMs);
  }, now - lateMs);
}

/** Beyond the limit, the oldest are forgotten: at worst, their work is done and the result is dropped. */
async function forgetExcess(queries: Queries): Promise<number> {
  const first = await queries
    .selectFrom('cancelled')
    .select('at')
    .orderBy('at', 'desc')
    .offset(most)
    .limit(1)
    .executeTakeFirst();
  if (!first) return 0;
  const result = await queries.deleteFrom('cancelled').where('at', '<=', first.at).executeTakeFirst();
  return Number(result.numDeletedRows);
}
