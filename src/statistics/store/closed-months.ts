import { sql } from 'kysely';
import { PismakError } from '../../engine/ground/errors.ts';
import type { Clock } from '../../engine/time/clock.ts';
import { type Day, type DayRange, formatDay, unitOf } from '../calendar/days.ts';
import type { StatisticsDatabase, StatisticsQueries } from '../database/tables.ts';
import { levels } from './store.ts';

/** The first days of the months that are closed. */
export async function listClosedMonths(queries: StatisticsQueries): Promise<Set<Day>> {
  const rows = await queries.selectFrom('statistics_closed').select('month').execute();
  return new Set(rows.map(({ month }) => month));
}

/**
 * The same, locked until the end of a transaction that counts events: no month is closed while it runs, so the sums of a closed month
 * stay. Must be the first query of the transaction, because later ones see the months as they were at the first. On SQLite
 * transactions take turns anyway.
 */
export async function holdClosedMonths(
  transaction: StatisticsQueries,
  { dialect }: Pick<StatisticsDatabase, 'dialect'>,
): Promise<Set<Day>> {
  if (dialect === 'postgres') await sql`LOCK TABLE "statistics_closed" IN SHARE MODE`.execute(transaction);
  return listClosedMonths(transaction);
}

export function monthIsClosed(day: Day): PismakError {
  return new PismakError('conflict', `the month of ${formatDay(day)} is closed; open it again first`);
}

/** Closes a month, or opens it again. Both may be repeated. */
export async function closeMonth(
  { database, clock }: { database: StatisticsDatabase; clock: Clock },
  { month, open, by }: { month: Day; open: boolean; by: string },
): Promise<void> {
  if (open) {
    await database.query.deleteFrom('statistics_closed').where('month', '=', month).execute();
    return;
  }
  await database.query
    .insertInto('statistics_closed')
    .values({ month, closedAt: clock.now(), closedBy: by })
    .onConflict((conflict) => conflict.column('month').doNothing())
    .execute();
}

/** A closed month that has sums of the user; undefined if there is none. */
export async function closedMonthOf(
  { database }: { database: StatisticsDatabase },
  user: string,
): Promise<Day | undefined> {
  // Events are in segments until a roll-up adds them to the unit of their month.
  const unit = await database.query
    .selectFrom('statistics_unit as unit')
    .innerJoin('statistics_cube as cube', 'cube.id', 'unit.cube')
    .innerJoin('statistics_closed as closed', 'closed.month', 'unit.bucket')
    .select('closed.month')
    .where('cube.user', '=', user)
    .where('unit.level', '=', levels.indexOf('month'))
    .where('unit.rows', '>', 0)
    .limit(1)
    .executeTakeFirst();
  if (unit) return unit.month;
  const closed = await listClosedMonths(database.query);
  const days = await database.query
    .selectFrom('statistics_segment as segment')
    .innerJoin('statistics_cube as cube', 'cube.id', 'segment.cube')
    .select('segment.day')
    .distinct()
    .where('cube.user', '=', user)
    .execute();
  return days.map(({ day }) => unitOf('month', day).from).find((month) => closed.has(month));
}

/** Events that came after their month was closed, the newest first. */
export async function listCorrections(
  { database }: { database: StatisticsDatabase },
  { user, range, limit }: { user: string; range?: DayRange | undefined; limit: number },
) {
  let query = database.query.selectFrom('statistics_correction').selectAll().where('user', '=', user);
  if (range) query = query.where('day', '>=', range.from).where('day', '<=', range.to);
  const rows = await query.orderBy('receivedAt', 'desc').orderBy('id').limit(limit).execute();
  return rows.map(({ id: _, day: __, dimensionsJson, ...row }) => ({
    ...row,
    // We wrote it: names of dimensions and whole numbers.
    sums: JSON.parse(dimensionsJson) as Record<string, number>,
  }));
}
