import { sql, type Transaction } from 'kysely';
import { PismakError } from '../ground/errors.ts';
import type { Database, Migration, MigrationLine } from './database.ts';

type Warn = (text: string) => void;
const warnProcess: Warn = (text) => process.emitWarning(text, 'PismakWarning');

type MigratedDatabase = Pick<Database, 'dialect' | 'query' | 'transaction'>;

/**
 * Runs the migrations that have not run yet, in name order, each in its own transaction, for both dialects. Migrations of
 * a newer version are left alone and reported to `warn`, unless the name ends with `!`: those keep this version out.
 */
export async function runMigrations(
  database: MigratedDatabase,
  line: MigrationLine,
  now: () => number,
  warn = warnProcess,
): Promise<void> {
  const inOrder = sorted(line);
  await sql.raw(`CREATE TABLE IF NOT EXISTS ${migrationTable}`).execute(database.query);
  warnOfNewer(line, await appliedNames(database), warn);
  for (const migration of inOrder) {
    await database.transaction(async (transaction) => {
      // The process that inserts the name runs the migration; any other waits here until it has finished.
      const claimed = await transaction
        .withTables<MigrationTables>()
        .insertInto('migration')
        .values({ name: fullName(line, migration), appliedAt: now() })
        .onConflict((conflict) => conflict.doNothing())
        .returning('name')
        .executeTakeFirst();
      // A migration creates the tables, so it must not rely on their types.
      if (claimed) await migration.up(transaction as unknown as Transaction<unknown>, database.dialect);
    });
  }
}

/** Changes nothing; throws if `runMigrations` would have something to do, or would throw itself. */
export async function checkMigrations(
  database: MigratedDatabase,
  line: MigrationLine,
  warn = warnProcess,
): Promise<void> {
  // A database that was never migrated has no table to ask.
  const tables = await database.query.introspection.getTables();
  const applied = tables.some(({ name }) => name === 'migration') ? await appliedNames(database) : [];
  warnOfNewer(line, applied, warn);
  // A house that is installed here but not where `up` runs has no work in this database.
  if (applied.length > 0 && !applied.some((name) => name.startsWith(`${line.name}/`))) return;
  const missing = sorted(line)
    .map((migration) => fullName(line, migration))
    .filter((name) => !applied.includes(name));
  if (missing.length === 0) return;
  throw new PismakError(
    'unavailable',
    `The database is older than this program (it lacks ${missing.join(', ')}). Start \`pismak up\` of this version on it first.`,
    { details: { migrations: missing } },
  );
}

function sorted(line: MigrationLine): Migration[] {
  const inOrder = line.migrations.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const twice = inOrder.find((migration, index) => migration.name === inOrder[index + 1]?.name);
  if (twice) throw new PismakError('internal', `Two migrations are named "${twice.name}". Rename one.`);
  return inOrder;
}

function fullName(line: MigrationLine, { name }: Migration): string {
  return `${line.name}/${name}`;
}

/** Reports what a newer version has added to this line. Lines of houses that are not installed here are ignored. */
function warnOfNewer(line: MigrationLine, applied: readonly string[], warn: Warn): void {
  const known = new Set(line.migrations.map((migration) => fullName(line, migration)));
  const unknown = applied.filter((name) => name.startsWith(`${line.name}/`) && !known.has(name)).sort();
  const breaking = unknown.filter((name) => name.endsWith('!'));
  if (breaking.length > 0) {
    const text = `A newer version has changed this database (${breaking.join(', ')}), so this version can't use it. Use the newer version, or restore a backup from before the change.`;
    throw new PismakError('unavailable', text, { details: { migrations: breaking } });
  }
  if (unknown.length === 0) return;
  const names = unknown.join(', ');
  warn(`A newer version uses this database too (${names}). This version continues; upgrade it soon.`);
}

async function appliedNames({ query }: Pick<Database, 'query'>): Promise<string[]> {
  const rows = await query.withTables<MigrationTables>().selectFrom('migration').select('name').execute();
  const names = rows.map(({ name }) => name);
  // 0.1 had one unnamed line of migrations. Its tables have other names, and nothing converts them.
  if (names.some((name) => !name.includes('/'))) {
    const text =
      'This database belongs to Pismak 0.1, which this version cannot read. Nothing was changed. Start with a new data directory (--data DIR) or an empty database, or continue with 0.1 until its work is done.';
    throw new PismakError('unavailable', text, { details: { schema: '0.1' } });
  }
  return names;
}

/** The table of migrations that have run. */
export const migrationTable = '"migration" ("name" TEXT PRIMARY KEY, "appliedAt" BIGINT NOT NULL)';
type MigrationTables = { migration: { name: string; appliedAt: number } };
