import type { Kysely, Transaction } from 'kysely';
import type { EngineTables } from './tables.ts';

/**
 * The port to the relational store: one schema, two dialects. Columns use only what both have: text, integer (times
 * are milliseconds, booleans 0 and 1), real and blob; JSON is text that its owner parses.
 *
 * - A transaction is atomic, durable when it resolves, and isolated from others (they see all of it or nothing).
 * - A broken unique or foreign key is `constraint-violated`.
 * - Migrations run once each, in order. Unknown newer ones are left alone: version N-1 can live with the schema of N,
 *   therefore a migration only adds, and what it adds has defaults.
 */
export interface Database<Tables = EngineTables> {
  /** For the few things that the dialects have no common words for, such as full text. */
  readonly dialect: 'sqlite' | 'postgres';
  /** Queries outside a transaction: each is one of its own. */
  readonly query: Kysely<Tables>;
  transaction<T>(work: (transaction: Transaction<Tables>) => Promise<T>): Promise<T>;
  /** Runs what has not run yet. Houses bring their own migrations. Safe to call from several processes at once. */
  migrate(migrations: readonly Migration[]): Promise<void>;
  /** The same database seen with a house's own tables. */
  withTables<More>(): Database<Tables & More>;

  /** Writes a consistent copy to `file`, while in use. Only adapters that own their files have it. */
  snapshot?(file: string): Promise<void>;
  close(): Promise<void>;
}

export interface Migration {
  /** `0001-frame`: sorts in the order of running, never changes. With `!` at its end, versions without it are kept out. */
  name: string;
  up(transaction: Transaction<unknown>): Promise<void>;
}

/** What code needs that can work inside or outside a transaction. */
export type Queries = Kysely<EngineTables>;
