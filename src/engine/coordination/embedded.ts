import type { Database } from '../database/database.ts';
import type { Clock } from '../time/clock.ts';
import { EmbeddedTree } from './embedded/tree.ts';
import { warnOfListener } from './warn-of-listener.ts';

/**
 * Persistent nodes and fences are kept in the database, ephemeral nodes and holds live and die with this process. There
 * is one tree per database. Don't await it inside a database transaction: its own writes would wait for that one.
 */
export async function openEmbeddedCoordination(parts: {
  database: Database;
  clock: Clock;
  /** Told when a listener of a watch throws. */
  report?: (error: unknown) => void;
}): Promise<EmbeddedTree> {
  const { database, clock, report = warnOfListener } = parts;
  return EmbeddedTree.open(database.query, { clock, report });
}
