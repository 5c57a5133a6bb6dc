import type { Database } from '../../engine/database/database.ts';
import type { Clock } from '../../engine/time/clock.ts';
import { migrations } from '../database/migrations.ts';
import type { StatisticsTables } from '../database/tables.ts';
import { openStatistics, type Statistics } from '../opened/statistics.ts';
import { statisticsSection } from '../settings/settings.ts';

/** Statistics on a database that has the engine's tables only. */
export async function openTestStatistics(parts: {
  database: Database;
  clock: Clock;
  settings?: Partial<Parameters<typeof openStatistics>[0]['settings']>;
}): Promise<Statistics> {
  const { database, clock, settings = {} } = parts;
  await database.migrate({ name: 'statistics', migrations });
  return openStatistics({
    database: database.withTables<StatisticsTables>(),
    clock,
    settings: statisticsSection.settings.parse(settings),
  });
}
