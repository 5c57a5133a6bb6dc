import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { temporaryDirectory } from '../src/engine/testing/temporary-directory.ts';
import { pismak } from './command-line.ts';
import { RunningPismak } from './running-pismak.ts';

const directory = await temporaryDirectory({ after });
const data = join(directory, 'data');
const running = new RunningPismak(data, { 'watchdog.periodMs': 100, 'watchdog.reconfigurationMs': 200 });
before(async () => {
  await running.start();
});
after(() => running.stop());

async function ok(...parameters: string[]): Promise<string> {
  const { code, out, err } = await pismak(data, parameters);
  assert.equal(code, 0, `pismak ${parameters.join(' ')}\n${out}\n${err}`);
  return out;
}

async function json<T>(...parameters: string[]): Promise<T> {
  return JSON.parse(await ok(...parameters, '--json')) as T;
}

test('files go through a pipeline of two stages and come back, each in a directory of its own', async () => {
  const letters = join(directory, 'letters');
  await mkdir(letters);
  for (const name of ['one.txt', 'two.txt', 'three.txt'])
    await writeFile(join(letters, name), `letter ${name}`);
  for (const stage of ['read', 'write']) {
    await ok('stage', 'create', stage, '--processor', 'dummy', '--stage-config', 'TIME_SCALE = 0.001');
  }
  await ok('pipeline', 'create', 'post', 'read,write,post.out');
  const saved = join(directory, 'saved');
  await ok('publish', letters, '--pipeline', 'post', '--wait', '--messages', '-o', saved);
  const contents = await Promise.all(
    (await readdir(saved)).map(async (uuid) => {
      const [name] = (await readdir(join(saved, uuid))).filter((file) => file.endsWith('.txt'));
      return readFile(join(saved, uuid, name ?? ''), 'utf8');
    }),
  );
  assert.deepEqual(contents.sort(), ['letter one.txt', 'letter three.txt', 'letter two.txt']);
  const timing = await ok('timing', saved);
  assert.match(timing, /read +3 +0/);
  assert.match(timing, /write +3 +0/);
});

test('an unknown stage is refused at submission, and the known ones are listed', async () => {
  const { code, err } = await pismak(data, ['publish', join(directory, 'letters'), '--stages', 'raed,out']);
  assert.notEqual(code, 0);
  assert.match(err, /no stage raed; did you mean read\? known stages: .*read/);
});

test('generated load runs through the sample pipeline while workers are moved from stage to stage', async () => {
  await ok('dummy', '--count', '8', '--size', '100');
  await ok('results', 'demo.out', '-o', join(directory, 'demo'), '--wait', '8');
  const events = await json<{ dimensions: { stage: string } }[]>('event', 'ls', '--kind', 'worker.assigned');
  const stages = new Set(events.map((event) => event.dimensions.stage));
  assert.ok(stages.size >= 3, `workers were assigned to ${[...stages]}`);
});

test('a second start on the same directory says who holds it', async () => {
  const { code, err } = await pismak(data, ['up', '--port', '0']);
  assert.notEqual(code, 0);
  assert.match(err, /in use by process \d+ on .* since 20.*reachable at http/);
});

test('a worker is switched, pinned, disabled and enabled by command', async () => {
  const workers = await json<{ id: string }[]>('worker', 'ls');
  const id = workers[0]?.id ?? '';
  await ok('worker', 'switch', id, 'write');
  await ok('worker', 'pin', id);
  await ok('worker', 'disable', id);
  const now = await json<{ id: string; stage: string; pinned: boolean; enabled: boolean }[]>('worker', 'ls');
  const worker = now.find((candidate) => candidate.id === id);
  assert.deepEqual([worker?.stage, worker?.pinned, worker?.enabled], ['write', true, false]);
  await ok('worker', 'enable', id);
  await ok('worker', 'unpin', id);
  const { code, err } = await pismak(data, ['worker', 'switch', id, 'nowhere']);
  assert.equal(code, 3);
  assert.match(err, /known stages/);
});

test('a queue is paused, keeps what comes, and goes on when resumed', async () => {
  await ok('queue', 'pause', 'read');
  const file = join(directory, 'letters', 'one.txt');
  await ok('publish', file, '--stages', 'read,paused.out');
  // It may wait in the backlog until the queue goes on.
  const queues = await json<{ name: string; ready: { normal: number }; backlog: number }[]>('queue', 'ls');
  const { ready, backlog } = queues.find(({ name }) => name === 'read') ?? assert.fail('no such queue');
  assert.equal(ready.normal + backlog, 1);
  await ok('queue', 'resume', 'read');
  await ok('results', 'paused.out', '-o', join(directory, 'paused'), '--wait', '1');
});

test('a request that fails for good is saved with its log, and publish --wait says so with its exit code', async () => {
  await ok(
    'stage',
    'create',
    'broken',
    '--processor',
    'dummy',
    '--attempts',
    '1',
    '--stage-config',
    'TIME_SCALE = 0\nFAILURE_RATE = 1',
  );
  const saved = join(directory, 'broken');
  const file = join(directory, 'letters', 'one.txt');
  const { code, out, err } = await pismak(data, [
    'publish',
    file,
    '--stages',
    'broken,read,broken.out',
    '--wait',
    '-o',
    saved,
  ]);
  assert.equal(code, 1, out + err);
  const [uuid] = await readdir(saved);
  assert.match(await readFile(join(saved, uuid ?? '', 'log.txt'), 'utf8'), /FAILURE_RATE/);
});

test('every setting is shown with its origin, and a wrong key is refused with line and suggestion', async () => {
  const here = join(directory, 'configured');
  await mkdir(here);
  await writeFile(join(here, 'pismak.toml'), '[http]\nport = 8080\n');
  const { out } = await pismak(data, ['config'], { cwd: here });
  assert.match(out, /http\.port +8080 .*pismak\.toml:2/);
  assert.match(out, /worker\.heartbeatMs +2000 .*default/);
  await writeFile(join(here, 'pismak.toml'), '[http]\n\nprot = 8080\n');
  const { code, err } = await pismak(data, ['config'], { cwd: here });
  assert.equal(code, 2);
  assert.match(err, /pismak\.toml.*3.*prot.*port/s);
});

test('a backup made while it runs becomes a new installation that has everything', async () => {
  const file = join(directory, 'backup.tar');
  await ok('backup', file);
  const restored = join(directory, 'restored');
  const { code, err } = await pismak(restored, ['restore', file]);
  assert.equal(code, 0, err);
  const { out } = await pismak(restored, ['stage', 'ls']);
  assert.match(out, /broken/, 'in-process: nobody runs on that directory');
});

test('doctor finds nothing wrong with a healthy installation', async () => {
  assert.doesNotMatch(await ok('doctor'), /FAIL/);
});
