import type { Queries } from '../database/database.ts';
import type { EngineTables } from '../database/tables.ts';
import type { Parameters } from './schedule.ts';

/** One run of a schedule. */
export interface ScheduleRun {
  id: string;
  schedule: string;
  /** The tick that it runs for: a moment (`2026-01-01T00:00:00.000Z`), `after:RUN` or `now:RUN`. Runs once in the cluster. */
  tick: string;
  status: 'queued' | 'running' | 'succeeded' | 'failed';
  parameters: Parameters;
  /** While queued: the time it was queued. */
  startedAt: number;
  endedAt: number | null;
  log: string;
}

const keptPerSchedule = 200;

/** Does nothing if this tick already has a run. Resolves to whether it queued one. */
export async function queueRun(
  queries: Queries,
  run: Omit<ScheduleRun, 'status' | 'endedAt' | 'log'>,
): Promise<boolean> {
  const { parameters, ...rest } = run;
  const { numInsertedOrUpdatedRows } = await queries
    .insertInto('scheduleRun')
    .values({
      ...rest,
      status: 'queued',
      parametersJson: JSON.stringify(parameters),
      endedAt: null,
      log: '',
      fence: 0,
    })
    .onConflict((conflict) => conflict.columns(['schedule', 'tick']).doNothing())
    .executeTakeFirst();
  return Number(numInsertedOrUpdatedRows ?? 0) > 0;
}

/** False if the run can no longer start: another leader was faster, or the schedule was deleted. */
export async function beginRun(
  queries: Queries,
  id: string,
  startedAt: number,
  fence: number,
): Promise<boolean> {
  const { numUpdatedRows } = await queries
    .updateTable('scheduleRun')
    .set({ status: 'running', startedAt, fence })
    .where('id', '=', id)
    .where('status', '=', 'queued')
    .executeTakeFirst();
  return Number(numUpdatedRows) > 0;
}

/** False if a new leader has already failed it: then its result is ignored. */
export async function endRun(
  queries: Queries,
  { id, schedule }: ScheduleRun,
  end: { status: 'succeeded' | 'failed'; endedAt: number; log: string },
): Promise<boolean> {
  const { numUpdatedRows } = await queries
    .updateTable('scheduleRun')
    .set(end)
    .where('id', '=', id)
    .where('status', '=', 'running')
    .executeTakeFirst();
  await trimHistory(queries, schedule);
  return Number(numUpdatedRows) > 0;
}

/** Fails the runs whose process died: nobody knows how far they got. Resolves to those runs. */
export async function giveUpInterrupted(queries: Queries, endedAt: number): Promise<ScheduleRun[]> {
  const rows = await queries
    .updateTable('scheduleRun')
    .set({ status: 'failed', endedAt, log: 'interrupted: the process that ran it is gone' })
    .where('status', '=', 'running')
    .returningAll()
    .execute();
  return rows.map(fromRow);
}

export async function openRuns(queries: Queries): Promise<ScheduleRun[]> {
  const rows = await queries
    .selectFrom('scheduleRun')
    .selectAll()
    .where('status', 'in', ['queued', 'running'])
    .orderBy('id')
    .execute();
  return rows.map(fromRow);
}

export async function listRuns(
  queries: Queries,
  { name, limit = 100 }: { name?: string; limit?: number } = {},
) {
  const rows = await queries
    .selectFrom('scheduleRun')
    .selectAll()
    .$if(name !== undefined, (query) => query.where('schedule', '=', name ?? ''))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
  return rows.map(fromRow);
}

/** When the latest timed run of each schedule started. */
export async function lastTicks(queries: Queries): Promise<Map<string, number>> {
  const rows = await queries
    .selectFrom('scheduleRun')
    .select(({ fn }) => ['schedule', fn.max('startedAt').as('startedAt')])
    .where('tick', 'not like', 'now:%')
    .groupBy('schedule')
    .execute();
  return new Map(rows.map((row) => [row.schedule, Number(row.startedAt)]));
}

async function trimHistory(queries: Queries, schedule: string): Promise<void> {
  const oldest = await queries
    .selectFrom('scheduleRun')
    .select('id')
    .where('schedule', '=', schedule)
    .orderBy('id', 'desc')
    .offset(keptPerSchedule)
    .limit(1)
    .executeTakeFirst();
  if (!oldest) return;
  await queries
    .deleteFrom('scheduleRun')
    .where('schedule', '=', schedule)
    .where('id', '<=', oldest.id)
    .where('status', 'in', ['succeeded', 'failed'])
    .execute();
}

function fromRow(row: EngineTables['scheduleRun']): ScheduleRun {
  const { parametersJson, fence: _, status, ...rest } = row;
  return { ...rest, status: status as ScheduleRun['status'], parameters: JSON.parse(parametersJson) };
}
