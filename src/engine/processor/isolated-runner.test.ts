import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { sweepBlobs } from '../blob-owners/blob-owners.ts';
import { type Blobs, readBlob } from '../blobs/blobs.ts';
import { openDirectoryBlobs } from '../blobs/directory.ts';
import { newFile } from '../request/request.ts';
import { type Stage, stageDefinition } from '../stage/stage.ts';
import { openEmbedded } from '../testing/embedded.ts';
import { eventually } from '../testing/eventually.ts';
import { temporaryDirectory } from '../testing/temporary-directory.ts';
import { type Clock, systemClock } from '../time/clock.ts';
import { createIsolatedRunner } from './isolated-runner.ts';
import { ProcessSource } from './process-source.ts';
import type { Runner, RunnerResult } from './runner.ts';
import { WorkerProcesses } from './worker-processes.ts';

const directory = await temporaryDirectory({ after });
const ownBlobs = await openDirectoryBlobs(`${directory}/blobs`);
const closing: WorkerProcesses[] = [];
after(async () => {
  await Promise.all(closing.map((processes) => processes.close()));
});

function newProcesses(clock: Clock = systemClock): WorkerProcesses {
  const source = new ProcessSource({ clock, inputs: `${directory}/inputs` });
  const processes = new WorkerProcesses({ source, clock, keepLoaded: 4, idleMs: 300_000, most: 8 });
  closing.push(processes);
  return processes;
}

/** A stage of its own processes, unless it is given some. */
function runner(
  definition: Partial<Stage> = {},
  more: { processes?: WorkerProcesses; blobs?: Blobs } = {},
): Runner {
  const stage = {
    ...stageDefinition.parse({ name: 'test', processor: 'misbehaving', timeoutMs: 120_000 }),
    version: 7,
  };
  const { processes = newProcesses(), blobs = ownBlobs } = more;
  const module = new URL('../testing/misbehaving-processor.ts', import.meta.url).href;
  const code = { stage: { ...stage, ...definition }, module, blobs, cache: `${directory}/cache` };
  return createIsolatedRunner(code, processes);
}

function order(made: Runner, text: string, signal = new AbortController().signal): Promise<RunnerResult> {
  return made.run({ uuid: 'u', attempt: 1, files: [newFile('order', Buffer.from(text))], signal });
}

function answerOf(result: RunnerResult): string {
  assert.ok(result.ok, result.ok ? '' : result.reason);
  return Buffer.from(result.files.find((file) => file.name === 'answer')?.content ?? []).toString();
}

test('the memory of large buffers goes back to the system as soon as a processor has freed them', async () => {
  const { log } = await order(runner(), 'hold and free');
  assert.ok(Number(/(-?\d+) MB more/.exec(log)?.[1]) < 30, log);
});

test('a processor sees its configuration and version, keeps the files it did not touch, and its log comes back', async () => {
  const result = await order(runner({ config: 'loud' }), 'be good');
  assert.match(answerOf(result), /config loud, version 7/);
  assert.deepEqual(result.ok && result.files.map((file) => file.name), ['order', 'answer']);
  assert.equal(result.log, 'told to: be good\n');
});

for (const [text, reason] of [
  ['throw', /thrown as ordered/],
  ['exit', /exit code 0/],
  ['crash', /SIGSEGV/],
  ['exhaust memory', /process ended/],
] as const) {
  test(`a processor that is told to ${text} fails its request, and the next one is served`, async () => {
    const made = runner({ memoryMb: 64 });
    const result = await order(made, text);
    assert.ok(!result.ok && !result.permanent && !result.aborted);
    assert.match(result.reason, reason);
    assert.match(result.log, new RegExp(`told to: ${text}`), 'the log up to the end is kept');
    assert.ok((await order(made, 'be good')).ok);
  });
}

test('an endless loop ends at the timeout', async () => {
  const made = runner({ timeoutMs: 300 });
  const result = await order(made, 'spin');
  assert.ok(!result.ok && !result.aborted);
  assert.match(result.reason, /longer than 300 ms/);
  assert.ok((await order(runner(), 'be good')).ok);
});

test('a crash costs nothing to the requests beside it', async () => {
  const made = runner();
  const stop = new AbortController();
  const beside = order(made, 'wait', stop.signal);
  const crashed = await order(made, 'crash');
  assert.ok(!crashed.ok);
  stop.abort();
  assert.ok((await beside).ok, 'it was told to stop, stopped in good order, and was not hurt');
});

test('Ctrl-C in the terminal, which goes to the whole process group, does not reach a processor', async () => {
  const pid = Number(/pid (\d+)/.exec(answerOf(await order(runner(), 'be good')))?.[1]);
  const groupOf = (id: number) => readFileSync(`/proc/${id}/stat`, 'utf8').split(') ')[1]?.split(' ')[2];
  assert.notEqual(groupOf(pid), groupOf(process.pid));
  assert.equal(groupOf(pid), String(pid));
});

test('a program that a processor started does not outlive it', async () => {
  const result = await order(runner(), 'start a program and exit');
  const pid = /program (\d+)/.exec(result.log)?.[1];
  assert.ok(pid, result.log);
  await eventually(
    'it is gone',
    () => !existsSync(`/proc/${pid}`) || readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z '),
  );
});

test('writing text instead of bytes fails the request, and makes no empty file', async () => {
  const result = await order(runner(), 'write text');
  assert.ok(!result.ok);
  assert.match(result.reason, /must be a Buffer or Uint8Array, not string/);
});

test('what fails for good is said to be permanent', async () => {
  const result = await order(runner(), 'give up');
  assert.ok(!result.ok && result.permanent);
});

test('what another worker may do is said to be in the wrong place, not to have failed for good', async () => {
  const result = await order(runner(), 'not here');
  assert.ok(!result.ok && result.wrongWorker && !result.permanent && !result.notLoaded);
});

test('a rejection that nobody catches ends the process, not the worker', async () => {
  const made = runner();
  const pidOf = (result: Awaited<ReturnType<typeof order>>) => /pid (\d+)/.exec(answerOf(result))?.[1];
  const before = pidOf(await order(made, 'be good'));
  await order(made, 'reject later');
  const after = pidOf(await order(made, 'be good'));
  assert.ok(before && after && after !== before, `process ${before}, then ${after}`);
});

test('the process is reused for the next request, until it has outgrown its memory', async () => {
  const made = runner({ memoryMb: 128 });
  const first = answerOf(await order(made, 'be good'));
  assert.equal(answerOf(await order(made, 'be good')), first);
  assert.equal(answerOf(await order(made, 'grow')), first);
  assert.notEqual(answerOf(await order(made, 'be good')), first);
});

test('a processor that cannot be loaded says why', async () => {
  await assert.rejects(runner({ config: 'fail to load' }).load(), /this processor never loads/);
});

test('large results come back as blobs', async () => {
  const made = runner();
  const files = [newFile('order', Buffer.from('be good')), newFile('big', new Uint8Array(200_000))];
  const result = await made.run({ uuid: 'u', attempt: 1, files, signal: new AbortController().signal });
  assert.ok(result.ok);
  const big = runner({ config: 'x'.repeat(100_000) });
  const stored = await order(big, 'be good');
  const answer = stored.ok ? stored.files.find((file) => file.name === 'answer') : undefined;
  assert.ok(answer && answer.blob !== '' && answer.content.length === 0);
  assert.equal((await readBlob(ownBlobs, answer.blob)).length, Number(answer.size));
});

test('what a processor had stored when its process was killed is gone two days later', async (t) => {
  const { blobs, database } = await openEmbedded(t);
  const made = runner({}, { blobs });
  const result = await order(made, 'write and crash');
  assert.ok(!result.ok);
  assert.match(result.reason, /killed by SIGKILL/);
  assert.equal((await Array.fromAsync(blobs.list())).length, 1);
  for (const hours of [0, 25]) {
    const clock = { ...systemClock, now: () => Date.now() + hours * 3_600_000 };
    await sweepBlobs({ blobs, database, clock });
  }
  assert.deepEqual(await Array.fromAsync(blobs.list()), []);
});

test('a process that has nothing to do for minutes ends, and the next request is served by another', async () => {
  const waits: { ms: number; callback: () => void }[] = [];
  const clock: Clock = {
    ...systemClock,
    after(ms, callback) {
      waits.push({ ms, callback });
      return systemClock.after(ms, callback);
    },
  };
  const made = runner({}, { processes: newProcesses(clock) });
  const pidOf = async () => /pid (\d+)/.exec(answerOf(await order(made, 'be good')))?.[1];
  const first = await pidOf();
  assert.equal(await pidOf(), first, 'as long as there is work it stays');
  // The minutes pass.
  waits.findLast(({ ms }) => ms === 300_000)?.callback();
  await eventually(
    'the process is gone',
    () => !existsSync(`/proc/${first}`) || readFileSync(`/proc/${first}/stat`, 'utf8').includes(') Z '),
  );
  assert.notEqual(await pidOf(), first);
});

test('a request whose processor can no longer be loaded was not tried', async () => {
  const result = await order(runner({ config: 'fail to load' }), 'be good');
  assert.ok(!result.ok && result.notLoaded && !result.permanent);
  assert.match(result.reason, /never loads/);
});
