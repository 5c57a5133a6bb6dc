import type { DatabaseSync } from 'node:sqlite';
import type { Commands } from './commands.ts';
import { type Batch, type Problem, problemOf } from './protocol.ts';

/**
 * Runs the commands of a batch in one transaction, so that they share one sync of the disk. When it fails, each runs in
 * a transaction of its own: one that can't be done must not take its neighbours with it.
 */
export function runBatch(db: DatabaseSync, commands: Commands, batch: Batch) {
  const works = unpack(commands, batch);
  try {
    return { values: inTransaction(db, () => works.map((work) => work())), problems: [] };
  } catch {
    const values: unknown[] = [];
    const problems: [number, Problem][] = [];
    for (const [index, work] of works.entries()) {
      try {
        values[index] = inTransaction(db, work);
      } catch (error) {
        problems.push([index, problemOf(error)]);
      }
    }
    return { values, problems };
  }
}

function unpack(commands: Commands, { calls, bodies }: Batch): (() => unknown)[] {
  let offset = 0;
  return calls.map(([name, parameters, bodyLength]) => {
    // The sender (`group-commit.ts`) has checked the parameters against this very command.
    const command = commands[name] as (...parameters: readonly unknown[]) => unknown;
    if (bodyLength === undefined) return () => command(...parameters);
    const body = bodies.subarray(offset, offset + bodyLength);
    offset += bodyLength;
    return () => command(...parameters, body);
  });
}

function inTransaction<T>(db: DatabaseSync, work: () => T): T {
  db.exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    db.exec('COMMIT');
    return result;
  } catch (error) {
    // SQLite has rolled back by itself after some errors.
    if (db.isTransaction) db.exec('ROLLBACK');
    throw error;
  }
}
