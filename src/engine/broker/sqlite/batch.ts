import type { DatabaseSync } from 'node:sqlite';
import type { Commands } from './commands.ts';
import { type Batch, type Problem, problemOf } from './protocol.ts';

/**
 * Runs the commands of a batch in one transaction, so that they share one disk sync. If it fails, each command runs in its
 * own transaction: a bad command must not take its neighbours with it.
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
    // `group-commit.ts` type-checks the parameters against the command.
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
    // After some errors SQLite has already rolled back.
    if (db.isTransaction) db.exec('ROLLBACK');
    throw error;
  }
}
