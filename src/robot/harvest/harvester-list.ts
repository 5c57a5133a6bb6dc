import { hostname } from 'node:os';
import type { Database, HarvesterRow, Queries } from '../database/tables.ts';
import type { Harvesters } from './harvesters.ts';

/** How long after its last sign of life a process counts as gone. */
const goneMs = 30_000;

/** Records what the harvesters of this process are doing; resolves to the number of threads that somebody has asked for. */
export async function signOn(
  database: Database,
  { process, now, load }: { process: string; now: number; load: Harvesters['load'] },
): Promise<number | undefined> {
  const changes = { ...load, seenAt: now };
  const [row] = await database.query
    .insertInto('robot_harvester')
    .values({ process, host: hostname(), wanted: null, ...changes })
    .onConflict((conflict) => conflict.column('process').doUpdateSet(changes))
    .returning('wanted')
    .execute();
  await database.query
    .deleteFrom('robot_harvester')
    .where('seenAt', '<', now - goneMs)
    .execute();
  return row?.wanted ?? undefined;
}

export async function signOff(database: Database, process: string): Promise<void> {
  await database.query.deleteFrom('robot_harvester').where('process', '=', process).execute();
}

/** The processes that harvest, or did until a moment ago. */
export async function listHarvesters(queries: Queries, now: number, limit: number): Promise<HarvesterRow[]> {
  return queries
    .selectFrom('robot_harvester')
    .selectAll()
    .where('seenAt', '>=', now - goneMs)
    .orderBy('host')
    .orderBy('process')
    .limit(limit)
    .execute();
}

/** Asks one process, or all, for a number of threads (0: it adapts); resolves to the number of processes asked. */
export async function askForHarvesters(
  queries: Queries,
  { wanted, process }: { wanted: number; process?: string | undefined },
): Promise<number> {
  let update = queries.updateTable('robot_harvester').set({ wanted });
  if (process !== undefined) update = update.where('process', '=', process);
  const { numUpdatedRows } = await update.executeTakeFirst();
  return Number(numUpdatedRows);
}
