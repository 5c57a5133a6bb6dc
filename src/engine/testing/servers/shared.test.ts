import assert from 'node:assert/strict';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { dirname } from 'node:path';
import { test } from 'node:test';
import { openPostgresPool } from '../../database/postgres/pool.ts';
import { startProgram } from '../child-program.ts';
import { eventually } from '../eventually.ts';
import { sharedPostgres } from './shared.ts';

test('files of one run share a server with a database each; it ends with the run, however that ends', async (t) => {
  const run = startProgram(t, 'share-servers');
  const before = process.env.SHARED_TEST_SERVERS;
  process.env.SHARED_TEST_SERVERS = await run.line();
  t.after(() => {
    if (before === undefined) delete process.env.SHARED_TEST_SERVERS;
    else process.env.SHARED_TEST_SERVERS = before;
  });
  const files = await Promise.all([sharedPostgres(), sharedPostgres()]);
  const urls = await Promise.all(files.map((file) => file.createDatabase()));
  const [one, other] = urls.map((url) => new URL(url));
  assert.equal(one?.host, other?.host);
  assert.notEqual(one?.pathname, other?.pathname);
  const forgotten = await openPostgresPool({ url: urls[0] ?? '', max: 1 });
  t.after(() => forgotten.close());
  await forgotten.query('SELECT 1');
  await files[0].close();
  await assert.rejects(forgotten.query('SELECT 1'), 'a file that is done stays connected to nothing');
  const data = await dataDirectory(other?.href ?? '');

  await run.kill('SIGKILL');
  await eventually('the server is gone', () => isRefused(Number(other?.port)));
  await rm(dirname(data), { recursive: true, maxRetries: 3 });
  // A variable that is left from a run that is over.
  const own = await sharedPostgres();
  t.after(() => own.close());
  assert.notEqual(new URL(await own.createDatabase()).host, other?.host);
});

async function dataDirectory(url: string): Promise<string> {
  const pool = await openPostgresPool({ url, max: 1 });
  const { rows } = await pool.query<{ data_directory: string }>('SHOW data_directory');
  await pool.close();
  return rows[0]?.data_directory ?? '';
}

async function isRefused(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  const connected = await once(socket, 'connect').then(
    () => true,
    () => false,
  );
  socket.destroy();
  return !connected;
}
