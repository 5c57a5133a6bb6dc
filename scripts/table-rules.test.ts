import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { engineTables, foreignTables } from './table-rules.ts';

const root = join(import.meta.dirname, '..');

test('no house reads or writes a table of the engine', () => {
  const files = globSync('src/**/*.ts', { cwd: root });
  const sources = new Map(files.map((file) => [file, readFileSync(join(root, file), 'utf8')]));
  const tables = engineTables(sources);
  for (const known of ['backlog', 'outbox', 'blobRef', 'outputQueue', 'stage', 'audit', 'alert'])
    assert.ok(tables.has(known), `${known} was not found among the engine's tables`);
  assert.deepEqual(foreignTables(sources), []);
});

const tables =
  'export interface EngineTables extends More {\n  /** Work. */\n  backlog: { id: string };\n  blobRef: {\n    hash: string;\n  };\n}\n';

function foundIn(file: string, source: string): string[] {
  return foreignTables(
    new Map([
      ['src/engine/database/tables.ts', tables],
      [file, source],
    ]),
  );
}

const refused = [
  "query.selectFrom('backlog').selectAll()",
  "query\n  .selectFrom(\n    'backlog as item')",
  "query.selectFrom(['mail', 'blobRef'])",
  "transaction.insertInto('blobRef').values(row)",
  "transaction.updateTable('backlog').set(row)",
  "transaction.deleteFrom('blobRef')",
  "query.selectFrom('mail').innerJoin('backlog', 'backlog.batch', 'mail.id')",
  'sql`DELETE FROM backlog`',
  'sql<{ id: string }>`SELECT "id" FROM "mail" JOIN "backlog" ON true`',
  'sql`substr("blobRef"."owner", 10)`',
  "sql.table('blobRef')",
];
for (const source of refused) {
  test(`a house is caught at ${JSON.stringify(source)}`, () => {
    assert.match(
      foundIn('src/mail/a.ts', source).join('\n'),
      /src\/mail\/a\.ts: the table \w+ is the engine's/,
    );
  });
}

test('its own tables, words that happen to be names of tables, and tests are left alone', () => {
  const fine = "query.selectFrom('mail').where('backlog', '=', 1); log('backlog'); sql`\"backlog\" > 1`";
  assert.deepEqual(foundIn('src/mail/a.ts', fine), []);
  assert.deepEqual(foundIn('src/mail/a.test.ts', "query.selectFrom('backlog')"), []);
  assert.deepEqual(foundIn('src/engine/a.ts', "query.selectFrom('backlog')"), []);
});
