import { sql } from 'kysely';
import type { Queries } from '../database/database.ts';
import type { EngineTables } from '../database/tables.ts';
import type { Parameters, RunStatus } from './schedule.ts';

/** One run of a schedule. */
export interface ScheduleRun {
  id: string;
  schedule: string;
  /** The tick that it runs for: a moment (`2026-01-01T00:00:00.000Z`), `after:RUN` or `now:RUN`. Runs once in the cluster. */
  tick: string;
  status: RunStatus;
  parameters: Parameters;
  /** While queued: the time it was queued. */
  startedAt: number;
  endedAt: number | null;
  /** Who asked to cancel it. It is cancelled when it has stopped. */
  cancelledBy: string | null;
  log: string;
}

const keptPerSchedule = 200;

/** Does nothing if this tick already has a run. Resolves to whether it queued one. */
export async function queueRun(
  queries: Queries,
  run: Omit<ScheduleRun, 'status' | 'endedAt' | 'cancelledBy' | 'log'>,
): Promise<boolean> {
  const { parameters, ...rest } = run;
  const { numInsertedOrUpdatedRows } = await queries
    .insertInto('scheduleRun')
    .values({
      ...rest,
      status: 'queued',
      parametersJson: JSON.stringify(parameters),
      endedAt: null,
      cancelledBy: null,
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

/** Saves the log of a run under way. */
export async function saveLog(queries: Queries, id: string, log: string): Promise<void> {
  await queries
    .updateTable('scheduleRun')
    .set({ log })
    .where('id', '=', id)
    .where('status', '=', 'running')
    .execute();
}

/** Ends queued runs at once, and marks running ones, which their leader then stops. Resolves to those that were open. */
export async function cancelRuns(
  queries: Queries,
  ids: readonly string[],
  { by, now }: { by: string; now: number },
): Promise<ScheduleRun[]> {
  if (ids.length === 0) return [];
  const open = queries.updateTable('scheduleRun').where('id', 'in', ids);
  const queued = await open
    .set({ status: 'cancelled', cancelledBy: by, endedAt: now, log: `cancelled by ${by} before it began\n` })
    .where('status', '=', 'queued')
    .returningAll()
    .execute();
  const running = await open
    .set({ cancelledBy: by })
    .where('status', '=', 'running')
    .returningAll()
    .execute();
  return [...queued, ...running].map(fromRow);
}

/** False if a new leader has already failed it: then its result is ignored. */
export async function endRun(
  queries: Queries,
  { id, schedule }: ScheduleRun,
  end: { status: 'succeeded' | 'failed' | 'cancelled'; endedAt: number; log: string },
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

/** Ends the runs whose process died, as failed unless they were cancelled: nobody knows how far they got. Resolves to them. */
export async function giveUpInterrupted(queries: Queries, endedAt: number): Promise<ScheduleRun[]> {
  const rows = await queries
    .updateTable('scheduleRun')
    .set(({ eb }) => ({
      status: eb.case().when('cancelledBy', 'is', null).then('failed').else('cancelled').end(),
      endedAt,
      log: sql<string>`"log" || 'interrupted: the process that ran it is gone'`,
    }))
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

export interface WhichRuns {
  name?: string | undefined;
  id?: string | undefined;
  /** Only runs that were queued before this one. */
  before?: string | undefined;
  limit?: number;
}

export async function listRuns(
  queries: Queries,
  { name, id, before, limit = 100 }: WhichRuns = {},
): Promise<ScheduleRun[]> {
  const rows = await queries
    .selectFrom('scheduleRun')
    .selectAll()
    .$if(name !== undefined, (query) => query.where('schedule', '=', name ?? ''))
    .$if(id !== undefined, (query) => query.where('id', '=', id ?? ''))
    .$if(before !== undefined, (query) => query.where('id', '<', before ?? ''))
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
    .where('status', 'in', ['succeeded', 'failed', 'cancelled'])
    .execute();
}

function fromRow(row: EngineTables['scheduleRun']): ScheduleRun {
  const { parametersJson, fence: _, status, ...rest } = row;
  return { ...rest, status: status as ScheduleRun['status'], parameters: JSON.parse(parametersJson) };
}
