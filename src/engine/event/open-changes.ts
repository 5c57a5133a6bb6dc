import type { Logger } from 'pino';
import type { Database } from '../database/database.ts';
import type { Clock } from '../time/clock.ts';
import { type ChangeLog, createChangeLog } from './change-log.ts';
import { ClusterChanges } from './cluster-changes.ts';

/** The list of changes that belongs to the database: a file serves one process, a server a cluster. */
export async function openChanges(parts: {
  database: Database;
  clock: Clock;
  log: Logger;
  /** Whether anyone here listens. */
  follow: boolean;
}): Promise<ChangeLog> {
  return parts.database.listen ? ClusterChanges.open(parts) : createChangeLog(parts.clock);
}
