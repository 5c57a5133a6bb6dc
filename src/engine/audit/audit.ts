import type { Insertable } from 'kysely';
import type { Caller } from '../caller.ts';
import type { EngineTables } from '../database/tables.ts';
import { newId } from '../identity.ts';
import type { Ports } from '../ports.ts';
import { RepeatedEntries, type Repeats } from './repeated-entries.ts';

export interface AuditEntry {
  caller: Pick<Caller, 'name' | 'credential'> | undefined;
  address: string;
  operation: string;
  inputJson: string;
  /** `ok`, or the code of the error. */
  outcome: string;
  /** Whose thing an administrator read. */
  owner?: string | undefined;
  /** Entries of the same key share a row. Without it the entry has a row of its own. */
  repeats?: Repeats | undefined;
}

/**
 * Records who did what, and resolves when the record is durable. Entries that come while others are being written share
 * the next transaction. If a record can't be written, the log says so and the caller gets no error: the work is done.
 */
export function audit(engine: AuditParts, entry: AuditEntry): Promise<void> {
  const trail = trails.get(engine.database) ?? newTrail();
  trails.set(engine.database, trail);
  const { clock } = engine;
  const { repeats, caller, owner = null, ...shown } = entry;
  const at = clock.now();
  const id = newId(clock);
  const sharedId = repeats && trail.repeated.rowOf(repeats, id, at);
  if (sharedId === undefined || sharedId === id)
    trail.waiting.rows.push({ id, at, ...shown, owner, actor: actorOf(caller) });
  else {
    const more = trail.waiting.more.get(sharedId)?.count ?? 0;
    trail.waiting.more.set(sharedId, { count: more + 1, lastAt: at });
  }
  trail.next ??= trail.writing.then(() => {
    const batch = trail.waiting;
    trail.waiting = newBatch();
    trail.next = undefined;
    trail.writing = write(engine, batch);
    return trail.writing;
  });
  return trail.next;
}

export type AuditParts = Pick<Ports, 'database' | 'clock' | 'log'>;
type Row = Insertable<EngineTables['audit']>;

interface Batch {
  rows: Row[];
  /** How often rows written before were repeated. */
  more: Map<string, { count: number; lastAt: number }>;
}
const newBatch = (): Batch => ({ rows: [], more: new Map() });

interface Trail {
  repeated: RepeatedEntries;
  /** Entries that wait for the transaction under way. */
  waiting: Batch;
  next: Promise<void> | undefined;
  writing: Promise<void>;
}
const newTrail = (): Trail => ({
  repeated: new RepeatedEntries(),
  waiting: newBatch(),
  next: undefined,
  writing: Promise.resolve(),
});
const trails = new WeakMap<AuditParts['database'], Trail>();

/** The user, and the key if one was used. */
export function actorOf(caller: AuditEntry['caller']): string {
  if (!caller?.name) return '(nobody)';
  return caller.credential?.startsWith('key:') ? `${caller.name} (${caller.credential})` : caller.name;
}

async function write(engine: AuditParts, { rows, more }: Batch): Promise<void> {
  try {
    await engine.database.transaction(async (transaction) => {
      // Eight columns per row, and SQLite allows at most 32766 parameters per statement.
      for (let start = 0; start < rows.length; start += 1000) {
        await transaction
          .insertInto('audit')
          .values(rows.slice(start, start + 1000))
          .execute();
      }
      for (const [id, { count, lastAt }] of more) {
        await transaction
          .updateTable('audit')
          .set((eb) => ({ count: eb('count', '+', count), lastAt }))
          .where('id', '=', id)
          .execute();
      }
    });
  } catch (error) {
    engine.log.error({ err: error, entries: rows }, 'the audit log could not be written');
  }
}
