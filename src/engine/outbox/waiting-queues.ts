import type { Queries } from '../database/database.ts';

/** The queues with messages in the outbox. Each step looks up the next name in the index, without reading rows. */
export async function waitingQueues(queries: Queries): Promise<string[]> {
  const queues: string[] = [];
  for (let last = ''; ; ) {
    const next = await queries
      .selectFrom('outbox')
      .select('queue')
      .where('queue', '>', last)
      .orderBy('queue')
      .limit(1)
      .executeTakeFirst();
    if (!next) return queues;
    last = next.queue;
    queues.push(last);
  }
}
