import type { Broker } from '../broker/broker.ts';
import type { Database, Queries } from '../database/database.ts';
import { PismakError } from '../ground/errors.ts';
import type { Settings } from '../settings/settings.ts';
import type { Clock } from '../time/clock.ts';
import type { Request } from './request.ts';

/**
 * Requests that users submitted and whose results nobody has collected yet. They limit how much a user puts in the queues, and
 * let users cancel the requests they submitted. Only the broker decides what is in a queue: a program
 * that reads an output queue directly leaves rows behind, which are forgotten later.
 */
export interface OpenRequests {
  /** Throws `quota-exceeded` when the user has too many of them: call it before anything is read or stored. */
  checkRoom(owner: string): Promise<void>;
  /**
   * Throws `conflict` if the owner has submitted a request with this uuid too often, and `quota-exceeded` if a limited owner has no
   * room left: other calls may have taken it since `checkRoom`.
   */
  add(
    transaction: Queries,
    request: Named & { output: string; house: string; isLimited: boolean },
  ): Promise<void>;
  /** Removes a request that was added and then not published. */
  remove(transaction: Queries, request: Named): Promise<void>;
  /** The owners of open requests with this uuid. */
  ownersOf(uuid: string): Promise<string[]>;
  /** Uuids and owners of the requests whose results go to this queue. */
  going(output: string, limit: number): Promise<Named[]>;
  /** Forgets rows of requests that can't be in any queue. */
  forgetOld(): Promise<number>;
}

type Named = Pick<Request, 'uuid' | 'owner'>;

/** Maximum age of a cached count; requests submitted by this process since then are added to it, so that only it is exact. */
const freshMs = 1000;
/** A younger request may still be on its way to a queue. */
const settledMs = 60 * 60_000;
const perRound = 10_000;
/** A producer that got no answer repeats its uuid; one that repeats it endlessly would get around the limit. */
const mostTimes = 10;

export function createOpenRequests({
  broker,
  clock,
  database,
  settings,
}: {
  broker: Broker;
  clock: Clock;
  database: Database;
  settings: Settings;
}): OpenRequests {
  const counts = new Map<string, { at: number; count: number }>();
  const counting = new Map<string, Promise<number>>();

  async function countOf(owner: string): Promise<number> {
    const known = counts.get(owner);
    const at = clock.now();
    if (known && at - known.at < freshMs && at >= known.at) return known.count;
    // One count for all who ask meanwhile: a later one would forget what the others have added to it.
    const asked = counting.get(owner);
    if (asked) return asked;
    const counted = countNow(owner, at).finally(() => counting.delete(owner));
    counting.set(owner, counted);
    return counted;
  }

  async function countNow(owner: string, at: number): Promise<number> {
    const row = await database.query
      .selectFrom('openRequest')
      .select(({ fn }) => fn.countAll().as('count'))
      .where('owner', '=', owner)
      .executeTakeFirst();
    const count = Number(row?.count ?? 0);
    for (const [name, { at: then }] of counts) if (at - then >= freshMs) counts.delete(name);
    counts.set(owner, { at, count });
    return count;
  }

  return {
    async checkRoom(owner) {
      const most = settings.limits.openRequests;
      if (most === 0) return;
      const open = await countOf(owner);
      if (open >= most) throw noRoom(open, most);
    },

    async add(transaction, { uuid, owner, output, house, isLimited }) {
      const { times } = await transaction
        .insertInto('openRequest')
        .values({ uuid, owner, output, house, times: 1, createdAt: clock.now() })
        .onConflict((conflict) =>
          conflict
            .columns(['uuid', 'owner'])
            .doUpdateSet((eb) => ({ times: eb('openRequest.times', '+', 1), output })),
        )
        .returning('times')
        .executeTakeFirstOrThrow();
      if (times > mostTimes) {
        throw new PismakError(
          'conflict',
          `request ${uuid} was submitted ${mostTimes} times and its result is not collected yet; give another uuid`,
        );
      }
      const known = counts.get(owner);
      if (!known || times > 1) return;
      const most = settings.limits.openRequests;
      if (isLimited && most > 0 && known.count >= most) throw noRoom(known.count, most);
      known.count++;
    },

    async remove(transaction, { uuid, owner }) {
      const rows = { uuid, owner };
      await transaction
        .updateTable('openRequest')
        .set((eb) => ({ times: eb('times', '-', 1) }))
        .where((eb) => eb.and(rows))
        .execute();
      await transaction
        .deleteFrom('openRequest')
        .where((eb) => eb.and({ ...rows, times: 0 }))
        .execute();
      counts.delete(owner);
    },

    async ownersOf(uuid) {
      const rows = await database.query
        .selectFrom('openRequest')
        .select('owner')
        .where('uuid', '=', uuid)
        .execute();
      return rows.map(({ owner }) => owner);
    },

    going: (output, limit) =>
      database.query
        .selectFrom('openRequest')
        .select(['uuid', 'owner'])
        .where('output', '=', output)
        .limit(limit)
        .execute(),

    async forgetOld() {
      const open = await countAll(database.query, 'openRequest');
      if (open === 0) return 0;
      // Messages after the rows: a request gets its row first and leaves its queue last.
      const queues = await broker.status();
      const messages = queues.reduce(
        (sum, { ready, delayed, inFlight, dead }) =>
          sum + ready.high + ready.normal + delayed + inFlight + dead,
        await countAll(database.query, 'backlog'),
      );
      const excess = Math.min(open - messages, perRound);
      if (excess <= 0) return 0;
      const oldest = database.query
        .selectFrom('openRequest')
        .select('uuid')
        .where('createdAt', '<', clock.now() - settledMs)
        .orderBy('createdAt')
        .limit(excess);
      const result = await database.query
        .deleteFrom('openRequest')
        .where('uuid', 'in', oldest)
        .executeTakeFirst();
      return Number(result.numDeletedRows);
    },
  };
}

function noRoom(open: number, limit: number): PismakError {
  return new PismakError(
    'quota-exceeded',
    `you have ${open} requests that wait, run, or have results that nobody collected; the limit is ${limit} (setting limits.openRequests). Collect results (\`pismak results\`) or cancel requests, then try again`,
    { details: { limit, open } },
  );
}

/** The number of the owner's open requests that this house has counted. */
export async function countOpenRequests(queries: Queries, owner: string, house: string): Promise<number> {
  const row = await queries
    .selectFrom('openRequest')
    .select(({ fn }) => fn.countAll().as('count'))
    .where('owner', '=', owner)
    .where('house', '=', house)
    .executeTakeFirst();
  return Number(row?.count ?? 0);
}

/** Their results were collected, or they ended without one. Nothing is left to cancel. */
export async function endRequests(queries: Queries, requests: readonly Named[]): Promise<void> {
  for (const [owner, some] of Map.groupBy(requests, (request) => request.owner)) {
    // Requests of other programs have no owner.
    if (owner === '') continue;
    const uuids = some.map(({ uuid }) => uuid);
    await queries.deleteFrom('openRequest').where('owner', '=', owner).where('uuid', 'in', uuids).execute();
    await queries.deleteFrom('cancelled').where('owner', '=', owner).where('name', 'in', uuids).execute();
  }
}

async function countAll(queries: Queries, table: 'openRequest' | 'backlog'): Promise<number> {
  const row = await queries
    .selectFrom(table)
    .select(({ fn }) => fn.countAll().as('count'))
    .executeTakeFirst();
  return Number(row?.count ?? 0);
}
