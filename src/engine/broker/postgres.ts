import { PostgresCluster } from '../database/postgres/cluster.ts';
import type { Clock } from '../time/clock.ts';
import type { Broker } from './broker.ts';
import { usualMaxBytes } from './checks.ts';
import { PostgresBroker } from './postgres/broker.ts';

export interface PostgresBrokerOptions {
  /** `postgres://user:password@host1:5432,host2:5432/database`; see `database/postgres/address.ts` for TLS. */
  url: string;
  clock: Clock;
  /** Largest accepted body; 16 MiB by default. Larger contents belong in Blobs. */
  maxMessageBytes?: number;
  /** How long a process may be silent before it counts as dead and its messages go to others. */
  leaseMs?: number;
}

/**
 * Queues in PostgreSQL, for any number of processes. Missing tables are created.
 *
 *     const broker = await openPostgresBroker({ url: 'postgres://pismak:secret@db/pismak', clock: systemClock });
 */
export async function openPostgresBroker(options: PostgresBrokerOptions): Promise<Broker> {
  const { url, clock, maxMessageBytes = usualMaxBytes, leaseMs = 15_000 } = options;
  return PostgresBroker.open(await PostgresCluster.open(url, clock), { clock, maxMessageBytes, leaseMs });
}
