import { sql, type Transaction } from 'kysely';
import { PismakError } from '../errors.ts';
import type { Database, Migration } from './database.ts';

/** Runs what has not run yet, in the order of names, each in its own transaction. For adapters of both dialects. */
export async function runMigrations(
  database: Pick<Database, 'query' | 'transaction'>,
  migrations: readonly Migration[],
  now: () => number,
): Promise<void> {
  const inOrder = migrations.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const twice = inOrder.find((migration, index) => migration.name === inOrder[index + 1]?.name);
  if (twice) throw new PismakError('internal', `There are two migrations named "${twice.name}": rename one`);

  const table = sql`CREATE TABLE IF NOT EXISTS "migration" ("name" TEXT PRIMARY KEY, "appliedAt" BIGINT NOT NULL)`;
  await table.execute(database.query);
  for (const migration of inOrder) {
    await database.transaction(async (transaction) => {
      // Whoever inserts the name runs it; another process that tries waits here until that one has finished.
      const claimed = await transaction
        .withTables<MigrationTables>()
        .insertInto('migration')
        .values({ name: migration.name, appliedAt: now() })
        .onConflict((conflict) => conflict.doNothing())
        .returning('name')
        .executeTakeFirst();
      // A migration makes the tables, so it may not rely on their types.
      if (claimed) await migration.up(transaction as unknown as Transaction<unknown>);
    });
  }
}

/** The table that remembers what has run. */
type MigrationTables = { migration: { name: string; appliedAt: number } };
