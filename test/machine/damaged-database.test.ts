import assert from 'node:assert/strict';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { pismak } from '../command-line.ts';
import { startPismak } from '../start-pismak.ts';

test('pismak up refuses a damaged database and one with foreign code in it, and changes nothing', async (t) => {
  const { up, data } = await startPismak(t);
  await up.stop();
  const file = join(data, 'pismak.db');
  const good = await readFile(file);
  const refused = async (content: Uint8Array, message: RegExp) => {
    await Promise.all(['-wal', '-shm'].map((ending) => rm(file + ending, { force: true })));
    await writeFile(file, content);
    const { code, err } = await pismak(data, ['up', '--port', '0']);
    assert.notEqual(code, 0);
    assert.match(err, message);
    assert.match(err, /Nothing was changed\. Restore a backup/);
    assert.ok((await readFile(file)).equals(content));
  };
  const damaged = Buffer.from(good);
  damaged.fill(0xff, 4096, 12_288);
  await refused(damaged, /pismak\.db in the data directory (is damaged|can't be read)/);
  await refused(Buffer.from('no database at all'.repeat(100)), /can't be read/);

  await writeFile(file, good);
  const database = new DatabaseSync(file);
  database.exec('CREATE TRIGGER evil AFTER INSERT ON audit BEGIN DELETE FROM audit; END');
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  database.close();
  await refused(await readFile(file), /has a trigger that is not ours \(evil\)/);
  await writeFile(file, good);
  await up.start();
});
