import type { Insertable } from 'kysely';
import type { EngineTables } from '../database/tables.ts';
import type { Engine } from '../engine.ts';
import { newId } from '../identity.ts';
import type { Caller } from './operation.ts';

export interface AuditEntry {
  caller: Caller | undefined;
  address: string;
  operation: string;
  inputJson: string;
  /** `ok`, or the code of the error. */
  outcome: string;
}

/**
 * Records which caller did what, and resolves when the entry is durable. Entries that arrive during a write share the
 * next transaction. If a write fails, the log says so and the caller gets no error: the operation is already done.
 */
export function audit(engine: AuditParts, entry: AuditEntry): Promise<void> {
  const batch = batches.get(engine.database) ?? { waiting: [], next: undefined, writing: Promise.resolve() };
  batches.set(engine.database, batch);
  const { clock } = engine;
  batch.waiting.push({
    id: newId(clock),
    at: clock.now(),
    actor: actorOf(entry.caller),
    operation: entry.operation,
    inputJson: entry.inputJson,
    outcome: entry.outcome,
    address: entry.address,
  });
  batch.next ??= batch.writing.then(() => {
    const rows = batch.waiting.splice(0);
    batch.next = undefined;
    batch.writing = write(engine, rows);
    return batch.writing;
  });
  return batch.next;
}

export type AuditParts = Pick<Engine, 'database' | 'clock' | 'log'>;
type Row = Insertable<EngineTables['audit']>;

/** Entries that wait for the transaction that is being written. */
interface Batch {
  waiting: Row[];
  next: Promise<void> | undefined;
  writing: Promise<void>;
}
const batches = new WeakMap<AuditParts['database'], Batch>();

async function write(engine: AuditParts, rows: Row[]): Promise<void> {
  try {
    await engine.database.transaction(async (transaction) => {
      // Seven columns a row, and SQLite takes at most 32766 parameters in a statement.
      for (let start = 0; start < rows.length; start += 1000) {
        await transaction
          .insertInto('audit')
          .values(rows.slice(start, start + 1000))
          .execute();
      }
    });
  } catch (error) {
    engine.log.error({ err: error, entries: rows }, 'the audit log could not be written');
  }
}

/** The user, and the key if one was used. */
function actorOf(caller: Caller | undefined): string {
  if (!caller?.name) return '(nobody)';
  return caller.credential?.startsWith('key:') ? `${caller.name} (${caller.credential})` : caller.name;
}
