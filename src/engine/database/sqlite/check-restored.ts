import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { MigrationLine } from '../database.ts';
import { migrationTable } from '../migrate.ts';
import { openSqliteDatabase } from '../sqlite.ts';

const unreadable = 'it is damaged or no database at all';

/** Accounts and keys in a database, as a backup's manifest lists them. */
export interface Accounts {
  users: { name: string; role: string }[];
  keys: { id: string; owner: string; role: string }[];
}

export function accountsOf(file: string): Accounts {
  return reading(file, (database) => ({
    users: database.prepare('SELECT name, role FROM account ORDER BY name').all() as Accounts['users'],
    keys: database
      .prepare('SELECT id, owner, role FROM apiKey WHERE revokedAt IS NULL ORDER BY id')
      .all() as Accounts['keys'],
  }));
}

/** What is wrong with the database file; undefined if it is what our migrations would have created. */
export function faultOfDatabase(file: string, lines: readonly MigrationLine[]): Promise<string | undefined> {
  return faultOf(file, () => foreignIn(file, lines));
}

/**
 * First what is foreign, then what is damaged: views, constraints and indexes can hold expressions that never end, and reading or
 * checking the file would run them.
 */
export async function faultOf(
  file: string,
  foreign: () => Promise<string | undefined>,
): Promise<string | undefined> {
  try {
    objectsOf(file);
  } catch {
    return unreadable;
  }
  return (await foreign()) ?? damageOf(file);
}

async function foreignIn(file: string, lines: readonly MigrationLine[]): Promise<string | undefined> {
  if (objectsOf(file).get('table migration') !== `CREATE TABLE ${migrationTable}`)
    return 'it is not a database of Pismak';
  let applied: string[];
  try {
    applied = reading(file, (database) => database.prepare('SELECT name FROM migration').all()).map(
      ({ name }) => String(name),
    );
  } catch {
    return unreadable;
  }
  if (applied.length === 0) return 'it is not a database of Pismak';
  const known = lines.map(({ name, migrations }) => ({
    name,
    migrations: migrations.filter((migration) => applied.includes(`${name}/${migration.name}`)),
  }));
  const names = known.flatMap((line) => line.migrations.map((migration) => `${line.name}/${migration.name}`));
  const unknown = applied.find((name) => !names.includes(name));
  if (unknown !== undefined)
    return `it was written by a version or a house that this program does not know (${unknown}); restore it with that`;
  return differenceFrom(file, async (reference) => {
    const database = await openSqliteDatabase({ file: reference });
    for (const line of known) await database.migrate(line);
    await database.close();
  });
}

/** How a file differs from one that this program creates; undefined if it doesn't. */
export async function differenceFrom(
  file: string,
  make: (reference: string) => Promise<void> | void,
): Promise<string | undefined> {
  const directory = await mkdtemp(join(tmpdir(), 'pismak-reference-'));
  try {
    const reference = join(directory, 'reference.db');
    await make(reference);
    return difference(objectsOf(file), objectsOf(reference));
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

function damageOf(file: string): string | undefined {
  try {
    const rows = reading(file, (database) => database.prepare('PRAGMA integrity_check(3)').all());
    const findings = rows.map((row) => String(row.integrity_check)).filter((finding) => finding !== 'ok');
    return findings.length === 0 ? undefined : `it is damaged: ${findings.join('; ')}`;
  } catch {
    return unreadable;
  }
}

/** Tables, indexes, triggers and views: type and name to definition. */
function objectsOf(file: string): Map<string, string> {
  const rows = reading(file, (database) =>
    database
      .prepare("SELECT type, name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\'")
      .all(),
  );
  return new Map(rows.map(({ type, name, sql }) => [`${type} ${name}`, String(sql)]));
}

function difference(found: Map<string, string>, expected: Map<string, string>): string | undefined {
  for (const [name, definition] of found) {
    if (!expected.has(name)) return `it has a ${name} that does not belong there`;
    if (expected.get(name) !== definition) return `its ${name} is not as this program makes it`;
  }
  const missing = [...expected.keys()].find((name) => !found.has(name));
  return missing === undefined ? undefined : `its ${missing} is missing`;
}

function reading<T>(file: string, read: (database: DatabaseSync) => T): T {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    return read(database);
  } finally {
    database.close();
  }
}
