import type { Insertable } from 'kysely';
import type { EngineTables } from '../database/tables.ts';
import type { Caller } from '../ground/caller.ts';
import { chunks } from '../ground/chunks.ts';
import { newId } from '../ground/identity.ts';
import type { Ports } from '../ports/ports.ts';
import { RepeatedEntries, type Repeats } from './repeated-entries.ts';

export interface AuditEntry {
  caller: Pick<Caller, 'name' | 'credential'> | undefined;
  address: string;
  operation: string;
  inputJson: string;
  /** `ok`, or the code of the error. */
  outcome: string;
  /** The owner of the thing that an administrator read. */
  owner?: string | undefined;
  /** Entries with the same key share a row. Without it, the entry gets its own row. */
  repeats?: Repeats | undefined;
}

/**
 * Records who did what. Entries that arrive while others are being written share the next transaction. If a record can't be
 * written, the log says so and the caller gets no error, because the work is done.
 */
export class AuditTrail {
  readonly #parts: Pick<Ports, 'database' | 'clock' | 'log'>;
  readonly #repeated = new RepeatedEntries();
  /** Entries waiting for the current transaction to end. */
  #waiting = newBatch();
  #next: Promise<void> | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(parts: Pick<Ports, 'database' | 'clock' | 'log'>) {
    this.#parts = parts;
  }

  /** Resolves when the record is durable. */
  record(entry: AuditEntry): Promise<void> {
    const { clock } = this.#parts;
    const { repeats, caller, owner = null, ...shown } = entry;
    const at = clock.now();
    const id = newId(clock);
    const sharedId = repeats && this.#repeated.rowOf(repeats, id, at);
    if (sharedId === undefined || sharedId === id)
      this.#waiting.rows.push({ id, at, ...shown, owner, actor: actorOf(caller) });
    else {
      const more = this.#waiting.more.get(sharedId)?.count ?? 0;
      this.#waiting.more.set(sharedId, { count: more + 1, lastAt: at });
    }
    this.#next ??= this.#writing.then(() => {
      const batch = this.#waiting;
      this.#waiting = newBatch();
      this.#next = undefined;
      this.#writing = this.#write(batch);
      return this.#writing;
    });
    return this.#next;
  }

  async #write({ rows, more }: Batch): Promise<void> {
    const { database, log } = this.#parts;
    try {
      await database.transaction(async (transaction) => {
        // Eight columns per row, and SQLite allows at most 32766 parameters per statement.
        for (const some of chunks(rows, 1000)) await transaction.insertInto('audit').values(some).execute();
        for (const [id, { count, lastAt }] of more) {
          await transaction
            .updateTable('audit')
            .set((eb) => ({ count: eb('count', '+', count), lastAt }))
            .where('id', '=', id)
            .execute();
        }
      });
    } catch (error) {
      log.error({ err: error, entries: rows }, 'the audit log could not be written');
    }
  }
}

type Row = Insertable<EngineTables['audit']>;

interface Batch {
  rows: Row[];
  /** How often earlier rows were repeated. */
  more: Map<string, { count: number; lastAt: number }>;
}
const newBatch = (): Batch => ({ rows: [], more: new Map() });

/** The user, and the key if one was used. */
export function actorOf(caller: AuditEntry['caller']): string {
  if (!caller?.name) return '(nobody)';
  return caller.credential?.startsWith('key:') ? `${caller.name} (${caller.credential})` : caller.name;
}
