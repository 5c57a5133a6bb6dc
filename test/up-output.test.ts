import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { describeState } from '../src/cli/up/up.ts';
import { readHolder } from '../src/engine/data-directory/data-directory.ts';
import { settingsSchema } from '../src/engine/settings/settings.ts';
import { eventually } from '../src/engine/testing/eventually.ts';
import { temporaryDirectory } from '../src/engine/testing/temporary-directory.ts';
import { commands, endsWithUs, RunningPismak } from './running-pismak.ts';

const startMs = 60_000;

async function answers(data: string): Promise<boolean> {
  const holder = await readHolder(data);
  if (!holder?.url) return false;
  return fetch(`${holder.url}/api/v1/health`).then(
    (answer) => answer.ok,
    () => false,
  );
}

test('up goes on when nobody reads its output any more, and when its terminal is closed', async (t: TestContext) => {
  const data = join(await temporaryDirectory(t), 'data');
  const [command, ...before] = [...endsWithUs, ...commands.up];
  const settings = ['--data', data, '--port', '0', '--set', 'worker.count=1'];
  const child = spawn(command, [...before, ...settings], { stdio: ['ignore', 'pipe', 'pipe'] });
  t.after(() => child.kill('SIGKILL'));
  const exited = once(child, 'exit');
  // As `head -n 1` does.
  await once(child.stdout, 'data');
  child.stdout.destroy();
  child.stderr.destroy();
  await eventually('it serves', () => answers(data), startMs);
  child.kill('SIGHUP');
  for (let look = 0; look < 5; look++) assert.ok(await answers(data));
  assert.equal(child.exitCode, null);
  child.kill('SIGTERM');
  assert.deepEqual(await exited, [0, null]);
});

test('the one-time link stays in sight: workers that begin to serve stages say nothing', async (t: TestContext) => {
  const data = join(await temporaryDirectory(t), 'data');
  const up = new RunningPismak(data, { 'worker.count': 2 }, [...endsWithUs, ...commands.up]);
  t.after(() => up.kill());
  await up.start();
  const config = 'DUMMY = True\nTIME_SCALE = 0.0001\nTIME_DELTA = 0\n';
  await up.call('stage.create', { name: 'quick', processor: 'dummy', mode: 'shared', config });
  await up.call('request.submit', { stages: ['quick', 'demo.out'], files: [] });
  const results = () => up.read<{ messages: unknown[] }>('queue.peek', { queue: 'demo.out' });
  await eventually('a worker has served it', async () => (await results()).messages.length === 1, startMs);
  await eventually('it has said everything', () => up.output.includes('--count 60'), startMs);
  const [, afterLink] = up.output.split('one-time link: ');
  assert.deepEqual(
    afterLink?.split('\n').slice(1),
    ['To see it work, run in another terminal: bin/pismak dummy --count 60', ''],
    up.output,
  );
});

test('up says where its state is: in the directory, on servers, or both', () => {
  const url = 'postgres://pismak:secret@db/pismak';
  const all = { broker: url, coordination: url, database: url, blobs: url };
  const said = (settings: object) => describeState(settingsSchema.parse(settings), '/data');
  assert.equal(said({}), 'State is in /data');
  assert.equal(
    said(all),
    'State is on servers (broker, coordination, database, blobs; see `pismak server ls`); logs and caches are in /data',
  );
  const { blobs: _, ...others } = all;
  const onServers = 'State is on servers (broker, coordination, database; see `pismak server ls`)';
  assert.equal(said(others), `${onServers} and in /data`);
  assert.equal(
    said({ ...others, blobs: 'directory:/mnt' }),
    `${onServers} and in /mnt (blobs); logs and caches are in /data`,
  );
});
