import { sql, type Transaction } from 'kysely';
import { PismakError } from '../errors.ts';
import type { Database, Migration } from './database.ts';

/**
 * Runs what has not run yet, in the order of names, each in its own transaction. For adapters of both dialects. What a
 * newer version has run is left alone and told to `warn`, unless its name ends with `!`: that one can't be lived with.
 */
export async function runMigrations(
  database: Pick<Database, 'query' | 'transaction'>,
  migrations: readonly Migration[],
  now: () => number,
  warn: (text: string) => void = (text) => process.emitWarning(text, 'PismakWarning'),
): Promise<void> {
  const inOrder = migrations.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const twice = inOrder.find((migration, index) => migration.name === inOrder[index + 1]?.name);
  if (twice) throw new PismakError('internal', `There are two migrations named "${twice.name}": rename one`);

  const table = sql`CREATE TABLE IF NOT EXISTS "migration" ("name" TEXT PRIMARY KEY, "appliedAt" BIGINT NOT NULL)`;
  await table.execute(database.query);
  const unknown = await unknownMigrations(database, migrations);
  const breaking = unknown.filter((name) => name.endsWith('!'));
  if (breaking.length > 0) {
    const text = `A newer version has changed this database (${breaking.join(', ')}) so that this one can't use it. Use the newer version, or restore a backup from before.`;
    throw new PismakError('unavailable', text, { details: { migrations: breaking } });
  }
  if (unknown.length > 0)
    warn(
      `A newer version uses this database too (${unknown.join(', ')}): this one goes on, upgrade it soon.`,
    );

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

async function unknownMigrations(
  { query }: Pick<Database, 'query'>,
  migrations: readonly Migration[],
): Promise<string[]> {
  const known = new Set(migrations.map(({ name }) => name));
  const rows = await query.withTables<MigrationTables>().selectFrom('migration').select('name').execute();
  return rows
    .map(({ name }) => name)
    .filter((name) => !known.has(name))
    .sort();
}

/** The table that remembers what has run. */
type MigrationTables = { migration: { name: string; appliedAt: number } };
