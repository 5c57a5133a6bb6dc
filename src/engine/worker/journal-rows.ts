import type { Queries } from '../database/database.ts';

export interface JournalLine {
  at: number;
  level: 'info' | 'warn' | 'error';
  text: string;
}

/** An attempt at a request that failed at this worker. */
export interface WorkerFailure {
  at: number;
  stage: string;
  uuid: string;
  /** Empty: a program with the broker's password sent it. */
  owner: string;
  attempt: number;
  reason: string;
}

export const mostLines = 100;
export const mostFailures = 20;

/** What a worker has left, oldest first. */
export async function readJournal(
  queries: Queries,
  worker: string,
): Promise<{ lines: JournalLine[]; failures: WorkerFailure[] }> {
  const row = await queries
    .selectFrom('workerJournal')
    .selectAll()
    .where('worker', '=', worker)
    .executeTakeFirst();
  return { lines: JSON.parse(row?.linesJson ?? '[]'), failures: JSON.parse(row?.failuresJson ?? '[]') };
}

export async function forgetJournal(queries: Queries, worker: string): Promise<void> {
  await queries.deleteFrom('workerJournal').where('worker', '=', worker).execute();
}
