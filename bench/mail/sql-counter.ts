import { Worker } from 'node:worker_threads';

/** Counts statements to the database from now on: questions to the thread that owns SQLite's file, and PostgreSQL's. */
export async function countSql(isPostgres: boolean): Promise<() => number> {
  let count = 0;
  const post = Worker.prototype.postMessage;
  Worker.prototype.postMessage = function (
    this: Worker,
    message: { question?: { kind?: string } },
    ...rest: unknown[]
  ) {
    if (message.question?.kind === 'execute') count++;
    return Reflect.apply(post, this, [message, ...rest]);
  } as typeof post;
  if (!isPostgres) return () => count;
  const { default: pg } = await import('pg');
  const query = pg.Client.prototype.query;
  pg.Client.prototype.query = function (this: InstanceType<typeof pg.Client>, ...given: unknown[]) {
    count++;
    return Reflect.apply(query, this, given);
  } as typeof query;
  return () => count;
}
