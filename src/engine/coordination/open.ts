import type { Clock } from '../clock.ts';
import type { Database } from '../database/database.ts';
import { PismakError } from '../errors.ts';
import type { Coordination } from './coordination.ts';
import { openEmbeddedTree } from './embedded.ts';

/** Where sessions come from: one per worker and service. */
export interface CoordinationSource {
  openSession(identity: string): Promise<Coordination>;
  close(): Promise<void>;
}

/** Opens the adapter that the URL asks for; the embedded one keeps its nodes in the database. */
export async function openCoordination(
  url: string,
  parts: { database: Database; clock: Clock },
): Promise<CoordinationSource> {
  const [scheme] = url.split(':', 1);
  if (scheme === 'embedded') return openEmbeddedTree(parts);
  throw new PismakError('configuration-invalid', `no coordination for ${scheme}:; there is embedded:`);
}
