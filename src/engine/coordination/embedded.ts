import type { Database } from '../database/database.ts';
import type { Clock } from '../time/clock.ts';
import { EmbeddedTree } from './embedded/tree.ts';
import { warnOfListener } from './warn-of-listener.ts';

/**
 * The database keeps persistent nodes and fences; ephemeral nodes and holds live and die with this process. A database
 * has one tree. Don't await the tree inside a database transaction: its own writes would wait for that transaction.
 */
export async function openEmbeddedCoordination(parts: {
  database: Database;
  clock: Clock;
  /** Called with the error when a watch listener throws. */
  report?: (error: unknown) => void;
}): Promise<EmbeddedTree> {
  const { database, clock, report = warnOfListener } = parts;
  return EmbeddedTree.open(database.query, { clock, report });
}
