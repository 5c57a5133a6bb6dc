import type { Database } from '../database/database.ts';
import { PismakError } from '../ground/errors.ts';
import type { Clock } from '../time/clock.ts';
import type { Coordination } from './coordination.ts';

/** Opens sessions: one per worker and service. */
export interface CoordinationSource {
  openSession(identity: string): Promise<Coordination>;
  /** Whether everybody who can reach the servers may read and change the nodes, because the URL names no user. */
  readonly isOpenToAll?: boolean;
  /** Restricts nodes that were open to all, from a time without a user in the URL. */
  closeToOthers?(): Promise<void>;
  close(): Promise<void>;
}

/** The URL schemes that select an adapter. */
export const coordinationSchemes = ['embedded', 'postgres', 'zookeeper', 'zookeepers'] as const;

/** Opens the adapter that the URL selects. The embedded one keeps its nodes in the database. */
export async function openCoordination(
  url: string,
  parts: { database?: Database; clock: Clock },
): Promise<CoordinationSource> {
  const { database, clock } = parts;
  const [scheme] = url.split(':', 1);
  switch (scheme) {
    case 'embedded':
      if (database) return (await import('./embedded.ts')).openEmbeddedCoordination({ database, clock });
      throw new PismakError(
        'configuration-invalid',
        'embedded: lives inside one process and has no address for others',
      );
    case 'postgres':
      return (await import('./postgres.ts')).openPostgresCoordination({ url, clock });
    case 'zookeeper':
    case 'zookeepers':
      return (await import('./zookeeper.ts')).openZookeeperCoordination({ url, clock });
  }
  throw new PismakError(
    'configuration-invalid',
    `Unknown coordination scheme "${scheme}". Use one of ${coordinationSchemes.join(', ')}.`,
  );
}
