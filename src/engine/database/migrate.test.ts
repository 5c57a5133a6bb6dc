import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { hasCode } from '../ground/errors.ts';
import { temporaryDirectory } from '../testing/temporary-directory.ts';
import type { Migration } from './database.ts';
import { runMigrations } from './migrate.ts';
import { openSqliteDatabase } from './sqlite.ts';

const step = (name: string): Migration => ({ name, up: async () => {} });
const ours = [step('0001-first'), step('0002-second')];

/** Runs the migrations of one version after those of another. Resolves to the second version's warnings. */
async function runAfter(t: TestContext, before: readonly Migration[], then: readonly Migration[]) {
  const database = await openSqliteDatabase({ file: join(await temporaryDirectory(t), 'test.db') });
  t.after(() => database.close());
  const warnings: string[] = [];
  const run = (migrations: readonly Migration[]) =>
    runMigrations(
      database,
      { name: 'engine', migrations },
      () => 1,
      (text) => warnings.push(text),
    );
  await run(before);
  assert.deepEqual(warnings, []);
  await run(then);
  return warnings;
}

test('a version that finds newer migrations continues and names them', async (t) => {
  const newer = [...ours, step('0003-third'), step('0004-fourth')];
  const [warning, ...more] = await runAfter(t, newer, ours);
  assert.match(warning ?? '', /newer version.*0003-third, engine\/0004-fourth.*continues/);
  assert.deepEqual(more, []);
});

test('a version that knows all migrations gives no warning', async (t) => {
  assert.deepEqual(await runAfter(t, ours, [...ours, step('0003-third!')]), []);
});

test('a breaking migration keeps out older versions, and the error says what to do', async (t) => {
  const newer = [...ours, step('0003-third'), step('0004-fourth!')];
  await assert.rejects(runAfter(t, newer, ours), (error) => {
    assert.ok(hasCode(error, 'unavailable'));
    assert.match(error.message, /0004-fourth!.*Use the newer version, or restore a backup/);
    return true;
  });
});
