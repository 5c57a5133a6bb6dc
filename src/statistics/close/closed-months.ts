import type { Day } from '../calendar/days.ts';
import type { StatisticsQueries } from '../tables.ts';

/** The first days of the months that are closed. */
export async function listClosedMonths(queries: StatisticsQueries): Promise<Set<Day>> {
  const rows = await queries.selectFrom('statistics_closed').select('month').execute();
  return new Set(rows.map(({ month }) => month));
}
