import { PostgresCluster } from '../database/postgres/cluster.ts';
import { type Clock, systemClock } from '../time/clock.ts';
import type { CoordinationSource } from './open.ts';
import { PostgresTree } from './postgres/tree.ts';
import { warnOfListener } from './warn-of-listener.ts';

/**
 * Sessions, nodes and holds in PostgreSQL, for any number of processes. Creates missing tables.
 *
 *     openPostgresCoordination({ url: 'postgres://pismak:secret@db1,db2/pismak' })
 */
export async function openPostgresCoordination(parts: {
  /** See `database/postgres/address.ts` for several nodes and TLS. */
  url: string;
  clock?: Clock;
  /** A session ends after this much silence. */
  sessionTimeoutMs?: number;
  /** Called with the error when a watch listener throws. */
  report?: (error: unknown) => void;
}): Promise<CoordinationSource> {
  const { url, clock = systemClock, sessionTimeoutMs = 10_000, report = warnOfListener } = parts;
  return PostgresTree.open(await PostgresCluster.open(url, clock), { clock, sessionTimeoutMs, report });
}
