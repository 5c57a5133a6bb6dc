import assert from 'node:assert/strict';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { hasCode } from '../ground/errors.ts';
import { childProcesses, isLiving, isRunning } from '../testing/child-processes.ts';
import { startProgram } from '../testing/child-program.ts';
import { eventually } from '../testing/eventually.ts';
import { temporaryDirectory } from '../testing/temporary-directory.ts';
import { engineMigrations } from './open.ts';
import { openSqliteDatabase } from './sqlite.ts';
import { migrationContract } from './testing/contract/migrations.ts';
import { readContract } from './testing/contract/reads.ts';
import { databaseContract } from './testing/contract.ts';

const create = async (context: TestContext) => {
  const file = join(await temporaryDirectory(context), 'test.db');
  return () => openSqliteDatabase({ file });
};
databaseContract('SQLite', create);
migrationContract('SQLite', create);
readContract('SQLite', create, async () => childProcesses().filter(isRunning).length);

describe('the SQLite file', () => {
  test('after kill -9 during a transaction, every transaction is there completely or not at all', async (context) => {
    const file = join(await temporaryDirectory(context), 'test.db');
    for (let round = 0; round < 3; round++) {
      const program = startProgram(context, 'commit-endlessly', [file, 'Infinity', String(round)]);
      for (let line = 0; line < 20; line++) await program.line();
      await program.kill();
      const resolved = (await program.rest()).length + 20;
      const database = await openSqliteDatabase({ file });
      const rows = await database.query.selectFrom('secret').select('name').execute();
      await database.close();
      const mine = rows.map((row) => row.name).filter((name) => name.startsWith(`${round}-`));
      assert.ok(mine.length / 2 >= resolved, `${resolved} commits resolved, ${mine.length / 2} are there`);
      assert.ok(mine.length / 2 <= resolved + 1, 'at most the one under way in addition');
      assert.equal(mine.length % 2, 0, 'no half transaction');
    }
  });

  test('every commit reaches the disk before it resolves', async (context) => {
    const directory = await temporaryDirectory(context);
    const trace = join(directory, 'trace');
    const strace = ['strace', '-f', '-y', '-e', 'trace=write,fsync,fdatasync', '-o', trace];
    const program = startProgram(
      context,
      'commit-endlessly',
      [join(directory, 'test.db'), '30', '0'],
      strace,
    );
    assert.equal((await program.rest()).length, 30);
    await program.ended;
    // It prints the number of a commit once that has resolved, and then makes the next.
    const calls = (await readFile(trace, 'utf8')).split('\n');
    let synced = false;
    let printed = 0;
    for (const call of calls) {
      if (/sync\(\d+<[^>]*test\.db-wal>/.test(call)) synced = true;
      if (!/write\(1<.*"\d+\\n"/.test(call)) continue;
      assert.ok(synced, `commit ${printed} resolved before it was synced`);
      synced = false;
      printed++;
    }
    assert.equal(printed, 30);
  });

  test('a snapshot is a complete copy, readable by its owner only, and never overwrites a file', async (context) => {
    const directory = await temporaryDirectory(context);
    const copy = join(directory, 'copy.db');
    const database = await openSqliteDatabase({ file: join(directory, 'test.db') });
    await database.migrate(engineMigrations);
    await database.query.insertInto('secret').values({ name: 'a', value: 'b', createdAt: 1 }).execute();
    await database.snapshot?.(copy);
    await assert.rejects(
      async () => database.snapshot?.(copy),
      (error) => hasCode(error, 'already-exists'),
    );
    assert.equal((await stat(copy)).mode & 0o777, 0o600);
    assert.equal((await stat(join(directory, 'test.db'))).mode & 0o777, 0o600);
    await database.close();

    const restored = await openSqliteDatabase({ file: copy });
    assert.equal((await restored.query.selectFrom('secret').selectAll().execute()).length, 1);
    await restored.close();
  });

  test('a program that has made an expensive read closes the database and ends in good order', async (context) => {
    const file = join(await temporaryDirectory(context), 'test.db');
    const program = startProgram(context, 'read-apart', [file]);
    assert.deepEqual(await program.rest(), ['read', 'closed']);
  });

  test('an expensive read does not outlive a killed process', async (context) => {
    const file = join(await temporaryDirectory(context), 'test.db');
    const program = startProgram(context, 'read-apart', [file, 'endless']);
    const readers = () => childProcesses(program.pid).filter(isRunning);
    const [reader = 0] = await eventually('it reads', () => readers().length > 0 && readers());
    await program.kill();
    await eventually('the reader is gone', () => !isLiving(reader));
  });

  test('a write outside the open transaction, made from inside it, fails instead of waiting for ever', async (context) => {
    const database = await (await create(context))();
    await database.migrate(engineMigrations);
    const row = { name: 'a', value: 'b', createdAt: 1 };
    const work = database.transaction(() => database.query.insertInto('secret').values(row).execute());
    await assert.rejects(work, /use the transaction/);
    await database.query.insertInto('secret').values(row).execute();
    await database.close();
  });

  test('a file that is not a database, or cannot be created, is refused with a reason', async (context) => {
    const file = join(await temporaryDirectory(context), 'notes.txt');
    await writeFile(file, 'Dear diary, '.repeat(1000));
    for (const wrong of [file, join(file, 'inside')]) {
      const opening = openSqliteDatabase({ file: wrong });
      await assert.rejects(opening, (error) => hasCode(error, 'unavailable'));
    }
  });
});
