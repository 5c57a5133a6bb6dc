import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { temporaryDirectory } from '../../src/engine/testing/temporary-directory.ts';

const pismak = join(import.meta.dirname, '..', '..', 'bin', 'pismak');

test('a data directory of 0.1 is refused, keeps its database as it was, and the message says what to do', async (t) => {
  const data = await temporaryDirectory(t);
  const file = join(data, 'pismak.db');
  const database = new DatabaseSync(file);
  database.exec(`CREATE TABLE "migration" ("name" TEXT PRIMARY KEY, "appliedAt" BIGINT NOT NULL);
    CREATE TABLE "document" ("id" TEXT PRIMARY KEY);
    INSERT INTO "migration" VALUES ('0001-frame', 1), ('0002-transcription', 2);
    INSERT INTO "document" VALUES ('precious');`);
  database.close();
  const before = await readFile(file);

  for (const words of [['up', '--port', '0'], ['status']]) {
    await assert.rejects(
      promisify(execFile)(pismak, ['--data', data, ...words]),
      /belongs to Pismak 0\.1.*Nothing was changed.*new data directory/s,
    );
    const after = new DatabaseSync(file, { readOnly: true });
    t.after(() => after.close());
    assert.deepEqual({ ...after.prepare('SELECT "id" FROM "document"').get() }, { id: 'precious' });
    assert.deepEqual((await readFile(file)).subarray(100), before.subarray(100));
    assert.ok(!(await readdir(data)).includes('queues.db'), 'no queues are made');
  }
});
