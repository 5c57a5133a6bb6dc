import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { openDirectoryBlobs } from '../blobs/directory.ts';
import { newFile } from '../request/request.ts';
import { type Stage, stageDefinition } from '../stage/stage.ts';
import { cpuTicks, isLiving } from '../testing/child-processes.ts';
import { eventually } from '../testing/eventually.ts';
import { temporaryDirectory } from '../testing/temporary-directory.ts';
import { type Clock, systemClock } from '../time/clock.ts';
import { createIsolatedRunner } from './isolated-runner.ts';
import { ProcessSource } from './process-source.ts';
import type { Runner } from './runner.ts';
import { WorkerProcesses } from './worker-processes.ts';

const misbehaving = new URL('../testing/misbehaving-processor.ts', import.meta.url).href;
const idleMs = 77_777;

/** The processes of a worker for shared stages; `pass` lets the timers of a length run out at once. */
async function opened(t: TestContext, options: { keepLoaded?: number; most?: number } = {}) {
  const directory = await temporaryDirectory(t);
  const timers = new Map<() => void, number>();
  const clock: Clock = {
    ...systemClock,
    after(ms, callback) {
      const cancel = systemClock.after(ms, callback);
      timers.set(callback, ms);
      return () => {
        timers.delete(callback);
        cancel();
      };
    },
  };
  const pass = (ms: number) => {
    for (const [callback, length] of timers) if (length === ms) callback();
  };
  const blobs = await openDirectoryBlobs(`${directory}/blobs`);
  const source = new ProcessSource({ clock, inputs: `${directory}/inputs` });
  const { keepLoaded = 4, most = 8 } = options;
  const processes = new WorkerProcesses({ source, clock, keepLoaded, most, idleMs });
  t.after(async () => {
    await processes.close();
    await source.close();
  });
  const stage = (name: string, more: Partial<Stage> = {}, module = misbehaving): Runner => {
    const definition = stageDefinition.parse({ name, processor: 'p', mode: 'shared', timeoutMs: 60_000 });
    const made = { ...definition, version: 1, ...more };
    source.expect(made);
    const places = { blobs, cache: `${directory}/cache` };
    return createIsolatedRunner({ stage: made, module, ...places }, processes);
  };
  return { directory, source, processes, stage, pass };
}

async function order(runner: Runner, text: string, signal = new AbortController().signal, owner = '') {
  const files = [newFile('order', Buffer.from(text))];
  const result = await runner.run({ uuid: 'u', owner, attempt: 1, files, signal });
  const answer = result.ok ? result.files.find((file) => file.name === 'answer')?.content : undefined;
  return { result, answer: Buffer.from(answer ?? []).toString() };
}

async function pidOf(runner: Runner): Promise<number> {
  const { result, answer } = await order(runner, 'be good');
  assert.ok(result.ok, result.log);
  return Number(/pid (\d+)/.exec(answer)?.[1]);
}

test('two stages of a worker share one process', async (t) => {
  const { stage, processes } = await opened(t);
  const [a, b] = [stage('a', { config: 'of a' }), stage('b', { config: 'of b' })];
  const pid = await pidOf(a);
  assert.equal(await pidOf(b), pid);
  assert.match((await order(a, 'be good')).answer, /config of a/);
  assert.match((await order(b, 'be good')).answer, /config of b/);
  assert.equal(processes.size, 1);
});

test('idle processes go, the spare one remains, and a message after that is served by it', async (t) => {
  const { stage, source, processes, pass } = await opened(t);
  source.keepSpare();
  const first = source.spare?.pid;
  const a = stage('a');
  const pid = await pidOf(a);
  assert.equal(pid, first, 'the spare process was there already');
  const spare = await eventually('another is kept ready', () => source.spare?.pid);
  assert.notEqual(spare, pid);
  pass(idleMs);
  await eventually('the idle one is gone', () => !isLiving(pid));
  assert.equal(processes.size, 0);
  assert.ok(!a.isLoaded());
  assert.equal(source.spare?.pid, spare);
  assert.ok(isLiving(spare));
  assert.equal(await pidOf(a), spare);
});

test('a crash while one stage is served charges nothing to the stage that is served next in this process', async (t) => {
  const { stage } = await opened(t);
  const [a, b] = [stage('a'), stage('b')];
  const pid = await pidOf(b);
  // Its answer comes before its process dies of what it left behind.
  const { result } = await order(a, 'reject later');
  const after = await pidOf(b);
  assert.notEqual(after, pid);
  const crashed = await order(a, 'crash');
  assert.ok(!crashed.result.ok && /SIGSEGV/.test(crashed.result.reason), result.log);
  assert.ok(await pidOf(b));
});

test('an endless loop that one request leaves behind costs the next nothing', async (t) => {
  const { stage, pass } = await opened(t);
  const [a, b] = [stage('a'), stage('b')];
  const pid = await pidOf(b);
  assert.ok((await order(a, 'spin later')).result.ok);
  const before = cpuTicks(pid);
  await eventually('it spins', () => cpuTicks(pid) > before + 20);
  const next = pidOf(b);
  // The time in which a process must hear its next order passes.
  await eventually('it is served elsewhere', () => {
    pass(5_000);
    return !isLiving(pid);
  });
  assert.notEqual(await next, pid);
});

test('forty shared stages that get messages at once are served by a bounded number of processes', async (t) => {
  const { stage, processes } = await opened(t, { most: 3 });
  const stop = new AbortController();
  let most = 0;
  const watch = setInterval(() => {
    most = Math.max(most, processes.size);
  }, 5);
  const stages = Array.from({ length: 40 }, (_, index) => stage(`s${index}`));
  // Two of them never end by themselves, and block no others.
  const hanging = stages.slice(0, 2).map((each) => order(each, 'wait', stop.signal));
  const pids = await Promise.all(stages.slice(2).map(pidOf));
  stop.abort();
  for (const each of await Promise.all(hanging)) assert.ok(each.result.ok);
  clearInterval(watch);
  assert.equal(pids.length, 38);
  assert.equal(most, 3);
  assert.equal(new Set(pids).size, 1, 'the third one served all the others in turn');
});

test('when endless requests of one owner have all processes, those of another get one all the same', async (t) => {
  const { stage, processes } = await opened(t, { most: 2 });
  const stop = new AbortController();
  const stages = ['a', 'b', 'c'].map((name) => stage(name));
  const hanging = stages.map((each) => order(each, 'wait', stop.signal, 'hog'));
  await eventually('all processes are taken', () => processes.size === 2);
  for (const each of stages) {
    const { result } = await order(each, 'be good', undefined, 'neighbour');
    assert.ok(result.ok, result.log);
  }
  assert.equal(processes.size, 3);
  stop.abort();
  await Promise.all(hanging);
});

test('tiny messages of many stages need no process more', async (t) => {
  const { stage, processes } = await opened(t);
  const stages = ['a', 'b', 'c'].map((name) => stage(name));
  for (const each of stages) await pidOf(each);
  await Promise.all(stages.map(pidOf));
  assert.ok(processes.size <= 3);
});

test('a process keeps only so many stages loaded, and more stages take another process while there may be one', async (t) => {
  const { stage, processes } = await opened(t, { keepLoaded: 2, most: 2 });
  const stages = ['a', 'b', 'c', 'd', 'e'].map((name) => stage(name));
  const pids = [];
  for (const each of stages) pids.push(await pidOf(each));
  assert.equal(new Set(pids).size, 2);
  assert.equal(processes.size, 2);
  const loaded = stages.map((each) => each.isLoaded());
  assert.equal(loaded.filter(Boolean).length, 4);
  assert.deepEqual([loaded[0], loaded[4]], [false, true], 'what was used longest ago made way');
  assert.ok(await pidOf(stages[0] as Runner));
});

test('a version made after the code was edited runs the edited code, though the process knew the old one', async (t) => {
  const { directory, stage } = await opened(t);
  const module = join(directory, 'edited.mjs');
  const write = (word: string) =>
    writeFile(
      module,
      `export default async () => (job) => job.files.write('answer', Buffer.from('${word} ' + process.pid));`,
    );
  await write('old');
  const code = pathToFileURL(module).href;
  const old = (await order(stage('a', {}, code), '')).answer;
  assert.match(old, /^old/);
  await write('new');
  assert.match((await order(stage('a', { version: 2 }, code), '')).answer, /^new/);
  assert.equal((await order(stage('a', {}, code), '')).answer, old, 'the old version stays as it was');
});

test('a stage does not run in a process that another has made too large for it', async (t) => {
  const { stage } = await opened(t);
  const [large, small] = [stage('large', { memoryMb: 1024 }), stage('small', { memoryMb: 128 })];
  const pid = await pidOf(large);
  assert.equal(await pidOf(small), pid);
  assert.ok((await order(large, 'grow')).result.ok);
  assert.equal(await pidOf(large), pid);
  assert.notEqual(await pidOf(small), pid);
});

test('what can only be loaded in a fresh process is loaded in one', async (t) => {
  const { directory, stage } = await opened(t);
  const module = join(directory, 'delicate.mjs');
  await writeFile(
    module,
    `export default async () => {
      if (globalThis.hoard) throw new Error('somebody was here before');
      return async () => {};
    };`,
  );
  assert.ok((await order(stage('a'), 'grow')).result.ok);
  assert.ok((await order(stage('b', {}, pathToFileURL(module).href), '')).result.ok);
});
