import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { own } from '../blob-owners/blob-owners.ts';
import { readBlob } from '../blobs/blobs.ts';
import { openDirectoryBlobs } from '../blobs/directory.ts';
import { openSqliteBroker } from '../broker/sqlite.ts';
import { openDataDirectory } from '../data-directory/data-directory.ts';
import { openSqliteDatabase } from '../database/sqlite.ts';
import { startProgram } from '../testing/child-program.ts';
import { openEmbedded } from '../testing/embedded.ts';
import { eventually } from '../testing/eventually.ts';
import { temporaryDirectory } from '../testing/temporary-directory.ts';
import { ManualClock, systemClock } from '../time/clock.ts';
import { createBackup } from './backup.ts';
import { blobEntry } from './backup-format.ts';
import { restoreBackup } from './restore.ts';
import { type TarEntry, writeTar } from './tar.ts';

const clock = systemClock;

async function madeBackup(context: TestContext) {
  const engine = await openEmbedded(context);
  await engine.stages.create({ name: 'read', processor: 'nothing' }, 'anna');
  await engine.broker.publish('read', { id: 'm1', body: Buffer.from('body') });
  const { hash } = await engine.blobs.put(Buffer.from('a large page'));
  const directory = await temporaryDirectory(context);
  const configurationFile = join(directory, 'pismak.toml');
  await writeFile(configurationFile, '[http]\nport = 1\n');
  const file = join(directory, 'backup.tar');
  const manifest = await createBackup({ ...engine, configurationFile }, file);
  return { engine, directory, file, hash, manifest };
}

test('a backup brings back queues, definitions, blobs and the configuration', async (context) => {
  const { directory, file, hash, manifest } = await madeBackup(context);
  assert.equal(manifest.blobs.count, 1);
  assert.equal((await stat(file)).mode & 0o777, 0o600);

  const data = join(directory, 'restored');
  const { movedAside } = await restoreBackup({ file, data, clock });
  assert.equal(movedAside, undefined);
  const broker = await openSqliteBroker({ file: join(data, 'queues.db'), clock });
  const database = await openSqliteDatabase({ file: join(data, 'pismak.db') });
  context.after(() => Promise.all([broker.close(), database.close()]));
  assert.deepEqual(
    (await broker.peek('read')).map(({ id }) => id),
    ['m1'],
  );
  const rows = await database.query.selectFrom('stage').select('name').execute();
  assert.deepEqual(rows, [{ name: 'read' }]);
  const blobs = await openDirectoryBlobs(join(data, 'blobs'));
  assert.equal(Buffer.from(await readBlob(blobs, hash)).toString(), 'a large page');
  assert.equal(await readFile(join(data, 'pismak.toml.restored'), 'utf8'), '[http]\nport = 1\n');
});

test('queues and database are from the same moment, even under writes', async (context) => {
  const engine = await openEmbedded(context);
  await engine.broker.declare('q');
  const record = (owner: string) => own(engine.database.query, 'a'.repeat(64), owner, 0);
  let going = true;
  const write = async (kind: string, inOrder: (id: string) => (() => Promise<void>)[]) => {
    for (let number = 0; going; number++) for (const step of inOrder(`${kind}${number}`)) await step();
  };
  const publish = (id: string) => engine.broker.publish('q', { id, body: Buffer.alloc(10) });
  const writers = [
    write('row-first', (id) => [() => record(id), () => publish(id)]),
    write('message-first', (id) => [() => publish(id), () => record(id)]),
  ];
  const directory = await temporaryDirectory(context);
  const file = join(directory, 'backup.tar');
  await eventually('some messages', async () => (await engine.broker.status('q')).ready.normal > 10);
  await createBackup(engine, file);
  going = false;
  await Promise.all(writers);

  const data = join(directory, 'data');
  await restoreBackup({ file, data, clock });
  const broker = await openSqliteBroker({ file: join(data, 'queues.db'), clock });
  const database = await openSqliteDatabase({ file: join(data, 'pismak.db') });
  context.after(() => Promise.all([broker.close(), database.close()]));
  const messages = new Set((await broker.peek('q', { limit: 100_000 })).map(({ id }) => id));
  const rows = new Set(
    (await database.query.selectFrom('blobRef').select('owner').execute()).map(({ owner }) => owner),
  );
  assert.ok(messages.size > 10 && rows.size > 0);
  for (const id of messages) if (id.startsWith('row')) assert.ok(rows.has(id), `${id} has no row`);
  for (const id of rows) if (id.startsWith('message')) assert.ok(messages.has(id), `${id} has no message`);
});

test('a backup never overwrites a file and leaves no other files', async (context) => {
  const { engine, directory, file } = await madeBackup(context);
  await assert.rejects(createBackup(engine, file), { code: 'already-exists' });
  await assert.rejects(createBackup(engine, join(directory, 'missing', 'b.tar')), { code: 'unavailable' });
  assert.deepEqual((await readdir(directory)).sort(), ['backup.tar', 'pismak.toml']);
  assert.equal(existsSync(join(engine.directory, 'cache', 'backup')), false);
});

test('the next backup removes what a killed one left', async (context) => {
  const directory = await temporaryDirectory(context);
  const data = await temporaryDirectory(context);
  const program = startProgram(context, 'back-up-endlessly', [data, join(directory, 'monday.tar')]);
  await program.line();
  await program.kill();
  const [left = '', ...more] = await readdir(directory);
  assert.deepEqual([left.endsWith('.part'), more], [true, []]);
  await createBackup(await openEmbedded(context), join(directory, 'tuesday.tar'));
  assert.deepEqual(await readdir(directory), ['tuesday.tar']);
});

test('a directory that is not empty is refused, or with force moved aside', async (context) => {
  const { directory, file } = await madeBackup(context);
  const data = join(directory, 'data');
  await mkdir(data);
  await writeFile(join(data, 'precious'), 'x');
  await assert.rejects(restoreBackup({ file, data, clock }), { code: 'already-exists' });
  const { movedAside } = await restoreBackup({ file, data, force: true, clock: new ManualClock() });
  assert.ok(movedAside);
  assert.equal(await readFile(join(movedAside, 'precious'), 'utf8'), 'x');
  assert.ok(existsSync(join(data, 'queues.db')));
});

test('a directory in use is not touched, not even with force', async (context) => {
  const { directory, file } = await madeBackup(context);
  const data = join(directory, 'data');
  const held = await openDataDirectory(data, { purpose: 'test' });
  context.after(() => held.close());
  await writeFile(join(data, 'precious'), 'x');
  const [before, beside] = [await readdir(data, { recursive: true }), await readdir(directory)];
  await assert.rejects(restoreBackup({ file, data, force: true, clock }), { code: 'data-directory-in-use' });
  assert.deepEqual(await readdir(data, { recursive: true }), before);
  assert.deepEqual(await readdir(directory), beside, 'nothing was moved aside');
});

test('damaged, truncated and hostile archives are refused and leave nothing behind', async (context) => {
  const { directory, file } = await madeBackup(context);
  const good = await readFile(file);
  const data = join(directory, 'data');
  const refuse = async (archive: Uint8Array, message: RegExp) => {
    const hostile = join(directory, 'hostile.tar');
    await writeFile(hostile, archive);
    await assert.rejects(restoreBackup({ file: hostile, data, clock }), { code: 'invalid-input', message });
    const left = await readdir(directory);
    assert.deepEqual(left.sort(), ['backup.tar', 'hostile.tar', 'pismak.toml']);
  };
  const changed = Buffer.from(good);
  changed[good.indexOf('a large page')] = 65;
  await refuse(changed, /blob .* is damaged/);
  await refuse(good.subarray(0, good.lastIndexOf('manifest.json')), /ends too early/);
  await refuse(Buffer.from('nonsense'), /ends too early/);
  for (const name of ['../evil', '/etc/evil', 'blobs/../../evil', 'blobs/ab/evil', 'lock', '__proto__']) {
    await refuse(await archiveOf([[name, 'x']]), /does not belong/);
  }
  const hash = createHash('sha256').update('other').digest('hex');
  await refuse(await archiveOf([[blobEntry(hash), 'x']]), /is damaged/);
  const empty = {
    format: 1,
    version: '1',
    createdAt: 0,
    parts: [],
    blobs: { count: 0, bytes: 0 },
    accounts: { users: [], keys: [] },
  };
  await refuse(await archiveOf([['manifest.json', JSON.stringify(empty)]]), /queues\.db is missing/);
  await refuse(await archiveOf([['manifest.json', JSON.stringify({ ...empty, format: 99 })]]), /newer/);
});

test('a backup whose databases are not what Pismak writes is refused, and names what is wrong', async (context) => {
  const { directory, file } = await madeBackup(context);
  const good = join(directory, 'good');
  await restoreBackup({ file, data: good, clock });
  const manifestOf = (accounts: object, parts: object[]) =>
    JSON.stringify({ format: 2, version: '1', createdAt: 0, parts, blobs: { count: 0, bytes: 0 }, accounts });
  const forge = async (change: { 'pismak.db'?: string; 'queues.db'?: string }) => {
    const forged = await temporaryDirectory(context);
    const entries: [string, Uint8Array | string][] = [];
    for (const name of ['queues.db', 'pismak.db'] as const) {
      const copy = join(forged, name);
      await cp(join(good, name), copy);
      const database = new DatabaseSync(copy);
      database.exec(`PRAGMA journal_mode = DELETE; ${change[name] ?? ''}`);
      database.close();
      entries.push([name, await readFile(copy)]);
    }
    return entries;
  };
  const archive = async (entries: [string, Uint8Array | string][]) => {
    const parts = entries.map(([name, content]) => {
      const sha256 = createHash('sha256').update(content).digest('hex');
      return { name, size: content.length, sha256 };
    });
    const hostile = join(directory, 'hostile.tar');
    const manifest = manifestOf({ users: [], keys: [] }, parts);
    await writeFile(hostile, await archiveOf([...entries, ['manifest.json', manifest]]));
    return restoreBackup({ file: hostile, data: join(directory, 'data'), clock });
  };
  const insert =
    "INSERT INTO account (name, passwordHash, role, disabled, createdAt) VALUES ('eve', 'x', 'admin', 0, 0)";
  const changes: [Parameters<typeof forge>[0], RegExp][] = [
    [
      { 'pismak.db': `CREATE TRIGGER t AFTER INSERT ON audit BEGIN ${insert}; END` },
      /trigger t that does not belong/,
    ],
    [{ 'pismak.db': 'CREATE VIEW v AS SELECT 1' }, /view v that does not belong/],
    [{ 'pismak.db': 'CREATE TABLE more (x)' }, /table more that does not belong/],
    // Reading them, or checking their contents, would run what a stranger wrote, without an end.
    [
      {
        'pismak.db':
          "DROP TABLE migration; CREATE VIEW migration AS WITH RECURSIVE r(name) AS (SELECT 'x' UNION ALL SELECT name FROM r) SELECT name FROM r",
      },
      /not a database of Pismak/,
    ],
    [
      {
        'pismak.db':
          'PRAGMA ignore_check_constraints = ON; CREATE TABLE more (x CHECK (x > 1)); INSERT INTO more VALUES (0)',
      },
      /table more that does not belong/,
    ],
    [{ 'queues.db': 'CREATE TABLE more (x CHECK (x > 1))' }, /table more that does not belong/],
    [{ 'pismak.db': 'DROP TABLE audit' }, /table audit is missing/],
    [{ 'pismak.db': 'DELETE FROM migration' }, /not a database of Pismak/],
    [
      { 'pismak.db': "INSERT INTO migration VALUES ('engine/9999-later', 0)" },
      /does not know \(engine\/9999-later\)/,
    ],
    [{ 'pismak.db': insert }, /users or keys that its manifest does not name/],
    [
      { 'queues.db': 'CREATE TRIGGER t AFTER INSERT ON message BEGIN DELETE FROM message; END' },
      /queues\.db: it has a trigger t/,
    ],
  ];
  for (const [change, message] of changes) {
    await assert.rejects(archive(await forge(change)), { code: 'invalid-input', message });
    assert.ok(!existsSync(join(directory, 'data')));
  }
  const entries = await forge({});
  const [, database] = entries;
  const damaged = Buffer.from(database?.[1] ?? '');
  damaged.fill(0xff, 4096, 8192);
  await assert.rejects(
    archive([entries[0] ?? ['', ''], ['pismak.db', damaged]]),
    /pismak\.db: it is damaged/,
  );
  await archive(entries);
});

async function archiveOf(files: [name: string, text: string | Uint8Array][]): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  const entries = files.map(([name, text]): TarEntry => {
    const content = (async function* () {
      yield Buffer.from(text);
    })();
    return { name, size: Buffer.byteLength(text), content };
  });
  for await (const chunk of writeTar(entries)) chunks.push(chunk);
  return Buffer.concat(chunks);
}
