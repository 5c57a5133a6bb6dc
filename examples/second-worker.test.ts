import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { startPostgres } from '../src/engine/testing/servers/postgres.ts';
import { startPismak } from '../test/start-pismak.ts';

test('a worker that knows only the address of the PostgreSQL does the work of a Pismak without workers', async (t) => {
  const postgres = await startPostgres();
  t.after(() => postgres.close());
  const url = await postgres.createDatabase();
  const servers = { broker: url, coordination: url, database: url, blobs: url };
  const { directory, run } = await startPismak(t, { ...servers, 'worker.count': 0 });
  const worker = spawn(join(import.meta.dirname, 'second-worker.sh'), ['second'], {
    env: { ...process.env, TMPDIR: directory, PISMAK_COORDINATION: url },
    stdio: 'ignore',
  });
  t.after(() => worker.kill('SIGKILL'));

  await run('stage', 'create', 'pass', '--processor', 'dummy', '--stage-config', 'TIME_SCALE = 0');
  const [letter, out] = [join(directory, 'letter.txt'), join(directory, 'out')];
  await writeFile(letter, 'hello');
  await run('publish', letter, '--stages', 'pass,passed', '--wait', '-o', out);
  assert.equal(globSync(join(out, '*', 'letter.txt')).length, 1);

  worker.kill('SIGINT');
  const [code] = await once(worker, 'exit');
  assert.ok(code === 0 || code === 130, `it stopped in good order (${code})`);
});
