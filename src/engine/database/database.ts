import type { Kysely, Transaction } from 'kysely';
import type { EngineTables } from './tables.ts';

/**
 * The port to the relational store: one schema, two dialects. Columns use only what both have: text, integer (times
 * are milliseconds, booleans 0 and 1), real and blob; JSON is text that its owner parses.
 *
 * - A transaction is atomic, durable when it resolves, and isolated from others (they see all of it or nothing).
 * - A broken unique or foreign key is `constraint-violated`.
 * - Migrations run once each, in order; the engine and each house have a line of their own. Unknown newer ones are left
 *   alone: version N-1 can live with the schema of N, therefore a migration only adds, and what it adds has defaults.
 */
export interface Database<More = unknown> {
  /** For the few things that the dialects have no common words for, such as full text. */
  readonly dialect: 'sqlite' | 'postgres';
  /** Queries outside a transaction: each is one of its own. */
  readonly query: Queries<More>;
  transaction<T>(work: (transaction: Queries<More>) => Promise<T>): Promise<T>;
  /** Runs what has not run yet. Safe to call from several processes at once. */
  migrate(line: MigrationLine): Promise<void>;
  /** Fails with `unavailable` where `migrate` would have something to do: for processes that must not change the schema. */
  checkMigrated(line: MigrationLine): Promise<void>;
  /** The same database seen with a house's own tables. */
  withTables<Tables>(): Database<More & Tables>;

  /** Writes a consistent copy to `file`, while in use. Only adapters that own their files have it. */
  snapshot?(file: string): Promise<void>;
  close(): Promise<void>;
}

/** The migrations of the engine or of one house. */
export interface MigrationLine {
  /** `engine`, or the house: each line has names of its own. */
  name: string;
  migrations: readonly Migration[];
}

/** One change of the schema. */
export interface Migration {
  /** `0001-frame`: sorts in the order of running, never changes. With `!` at its end, versions without it are kept out. */
  name: string;
  up(transaction: Transaction<unknown>, dialect: Database['dialect']): Promise<void>;
}

/**
 * What code needs that can work inside or outside a transaction. A house sees its own tables too, and what it has can be
 * passed to the engine's functions.
 */
export type Queries<More = unknown> = Kysely<EngineTables & More> & Kysely<EngineTables>;
