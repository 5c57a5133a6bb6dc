import { sql } from 'kysely';
import type { Database, Queries } from './database.ts';

/**
 * A growing list: rows that readers follow by their ids, each continuing after the last row it saw. On PostgreSQL, a smaller id may be
 * committed after a larger one was read, and those readers would miss it. So a transaction announces itself before it draws an
 * id, and a reader asks up to which id the list is complete. Transactions that append never wait for each other. SQLite has
 * one writer at a time, so its ids appear in order anyway.
 */
const lockOf = (list: string) => sql`hashtextextended(${list}, 7061736005)`;

/** How long a reader waits for running transactions. Other transactions that want to append wait behind it. */
const patienceMs = 5_000;

/** Call it in a transaction before it draws an id, as late as possible: the rest must not wait for other transactions. */
export async function willAppend(
  { dialect }: Pick<Database, 'dialect'>,
  transaction: Queries,
  list: string,
): Promise<void> {
  if (dialect === 'postgres')
    await sql`SELECT pg_advisory_xact_lock_shared(${lockOf(list)})`.execute(transaction);
}

/**
 * The id up to which a list is complete: no row up to this id will appear later. `newest` finds the largest id now. Throws
 * `unavailable` if a transaction that appends doesn't end.
 */
export async function settledThrough(
  database: Database,
  list: string,
  newest: () => Promise<number>,
  waitMs = patienceMs,
): Promise<number> {
  if (database.dialect === 'sqlite') return Number.MAX_SAFE_INTEGER;
  const id = await newest();
  // Every smaller id was drawn before, by a transaction that holds the lock until it ends.
  await database.transaction(async (transaction) => {
    await sql`SET LOCAL lock_timeout = ${sql.lit(waitMs)}`.execute(transaction);
    await sql`SELECT pg_advisory_xact_lock(${lockOf(list)})`.execute(transaction);
  });
  return id;
}
