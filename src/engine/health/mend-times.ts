import { sql } from 'kysely';
import type { Database } from '../database/database.ts';

/** Clocks of several machines differ a little. */
const slackMs = 60_000;

/**
 * The clock went back by `backMs`, so rows written before lie in the future. They are moved back by as much, so that
 * what was due in an hour stays due in an hour, not in a year. Safe to repeat: afterwards no row is in the future.
 *
 * Changes only times that something waits for. Records of the past (audit, events) stay as they were written.
 */
export async function mendTimes(
  database: Database,
  { now, backMs }: { now: number; backMs: number },
): Promise<void> {
  const limit = now + slackMs;
  const back = <Column extends string>(column: Column) => sql<number>`${sql.ref(column)} - ${backMs}`;
  await database.transaction(async (transaction) => {
    await transaction
      .updateTable('session')
      .set({ createdAt: back('createdAt'), expiresAt: back('expiresAt') })
      .where('createdAt', '>', limit)
      .execute();
    await transaction
      .updateTable('backlog')
      .set({ createdAt: back('createdAt'), notBefore: back('notBefore') })
      .where('createdAt', '>', limit)
      .execute();
    await transaction
      .updateTable('upload')
      .set({ createdAt: back('createdAt') })
      .where('createdAt', '>', limit)
      .execute();
    await transaction
      .updateTable('blobPut')
      .set({ at: back('at') })
      .where('at', '>', limit)
      .execute();
    await transaction
      .updateTable('blobOrphan')
      .set({ since: back('since') })
      .where('since', '>', limit)
      .execute();
    await transaction
      .updateTable('schedule')
      .set({ updatedAt: back('updatedAt') })
      .where('updatedAt', '>', limit)
      .execute();
    await transaction
      .updateTable('scheduleRun')
      .set({ startedAt: back('startedAt') })
      .where('startedAt', '>', limit)
      .execute();
    await transaction
      .updateTable('alert')
      .set({ lastSeenAt: back('lastSeenAt') })
      .where('lastSeenAt', '>', limit)
      .execute();
  });
}
