import type { Day, DayRange } from '../calendar/days.ts';
import type { Statistics } from '../statistics.ts';
import type { StatisticsQueries } from '../tables.ts';

/** The first days of the months that are closed. */
export async function listClosedMonths(queries: StatisticsQueries): Promise<Set<Day>> {
  const rows = await queries.selectFrom('statistics_closed').select('month').execute();
  return new Set(rows.map(({ month }) => month));
}

/** Closes a month, or opens it again. Both may be repeated. */
export async function closeMonth(
  { database, clock }: Statistics,
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

/** Events that came too late for their month, the newest first. */
export async function listCorrections(
  { database }: Statistics,
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
