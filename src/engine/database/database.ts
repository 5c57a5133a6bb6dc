import type { Kysely, Transaction } from 'kysely';
import type { ReadLimits } from './read-in-turn.ts';
import type { EngineTables } from './tables.ts';

/**
 * The port to the relational store: one schema, two dialects. Columns use only types that both have: text, integer (times
 * are milliseconds, booleans 0 and 1), real and blob. JSON is text that its owner parses.
 *
 * - A transaction is atomic, durable when it resolves, and isolated from others (they see all of it or nothing).
 * - An expensive read delays no other query. It is stopped, on the server too, when its time is up or its caller leaves.
 * - A violated unique or foreign key throws `constraint-violated`.
 * - Migrations run once each, in order. The engine and each house have their own line. Unknown newer migrations are left alone:
 *   version N-1 must work with the schema of N, so a migration only adds things, with defaults.
 */
export interface Database<More = unknown> {
  /** For the few things that the dialects do differently, such as full-text search. */
  readonly dialect: 'sqlite' | 'postgres';
  /** Queries outside a transaction: each is its own transaction. */
  readonly query: Queries<More>;
  transaction<T>(work: (transaction: Queries<More>) => Promise<T>): Promise<T>;
  /**
   * Reads that a caller can make expensive, on separate connections: few at once, and owners take turns. Throws
   * `took-too-long` after the deadline, and `unavailable` if too many reads of the owner wait. Sees all changes that were
   * committed before; can't change anything.
   */
  read<T>(limits: ReadLimits, work: (queries: Queries<More>) => Promise<T>): Promise<T>;
  /** Runs the migrations that have not run yet. Safe to call from several processes at once. */
  migrate(line: MigrationLine): Promise<void>;
  /** Throws `unavailable` if migrations are missing: for processes that must not change the schema. */
  checkMigrated(line: MigrationLine): Promise<void>;
  /** The same database, typed with a house's own tables. */
  withTables<Tables>(): Database<More & Tables>;

  /**
   * Calls `heard` soon after each commit that notified the channel, in whichever process, and whenever notices may have been missed.
   * Optional: only adapters whose database several processes use have it.
   */
  listen?(channel: string, heard: () => void): Promise<{ close(): Promise<void> }>;
  /** Writes a consistent copy to `file`, while in use. Optional: only adapters that own their files can do it. */
  snapshot?(file: string): Promise<void>;
  close(): Promise<void>;
}

/** The migrations of the engine or of one house. */
export interface MigrationLine {
  /** `engine`, or the name of the house. Each line has its own names. */
  name: string;
  migrations: readonly Migration[];
}

/** One change of the schema. */
export interface Migration {
  /** `0001-frame`: sorts in run order and never changes. A final `!` keeps out versions that don't know the migration. */
  name: string;
  up(transaction: Transaction<unknown>, dialect: Database['dialect']): Promise<void>;
}

/**
 * Queries that work inside or outside a transaction. A house sees its own tables too, and can pass its queries to the
 * engine's functions.
 */
export type Queries<More = unknown> = Kysely<EngineTables & More> & Kysely<EngineTables>;
