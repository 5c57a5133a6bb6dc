import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { PismakError } from '../../engine/ground/errors.ts';
import { eventually } from '../../engine/testing/eventually.ts';
import { temporaryDirectory } from '../../engine/testing/temporary-directory.ts';
import { ManualClock, systemClock } from '../../engine/time/clock.ts';
import { type PlannedRequest, submitRequests } from '../../terminal/results/submit-requests.ts';
import { fakeClient, runCommand } from '../testing/run-command.ts';
import { generatedRequests } from './dummy.ts';

const signal = new AbortController().signal;

/** A UUID that begins with the name. */
function uuidOf(name: string): string {
  const digits = Buffer.from(name).toString('hex').padEnd(12, '0').slice(0, 12);
  return `00000000-0000-4000-8000-${digits}`;
}

function planned(size: number, name = 'a'): PlannedRequest {
  const content = async function* () {
    yield Buffer.alloc(size, 'x');
  };
  return { uuid: uuidOf(name), name, size, content };
}

test('small files travel inside the call, large ones are uploaded', async () => {
  const hash = 'a'.repeat(64);
  const client = fakeClient({}, { upload: async () => ({ hash, size: 1 }) });
  const submitted: string[] = [];
  await submitRequests({
    client,
    signal,
    clock: systemClock,
    target: { pipeline: 'p' },
    waiting: () => {},
    requests: [planned(3, 'small'), planned(70_000, 'large')],
    submitted: ({ name }) => submitted.push(name),
  });
  const inputs = client.calls.map(({ input }) => input);
  const common = { pipeline: 'p' };
  assert.deepEqual(inputs, [
    {
      ...common,
      uuid: uuidOf('small'),
      files: [{ name: 'small', content: Buffer.from('xxx').toString('base64') }],
    },
    { ...common, uuid: uuidOf('large'), files: [{ name: 'large', blob: hash }] },
  ]);
  assert.deepEqual(submitted.sort(), ['large', 'small']);
});

test('a full queue is waited for, with the same uuid again', async () => {
  let refusals = 2;
  const client = fakeClient({
    'request.submit': () => {
      if (refusals-- > 0) throw new PismakError('queue-full', 'queue q is full');
      return {};
    },
  });
  const clock = new ManualClock();
  const waits: string[] = [];
  const sending = submitRequests({
    client,
    signal,
    clock,
    target: { stages: ['q', 'out'] },
    submitted: () => {},
    requests: [planned(1)],
    waiting: (reason) => waits.push(reason),
  });
  for (const count of [1, 2]) {
    await eventually(`refusal ${count}`, () => waits.length === count);
    clock.advance(1000);
  }
  await sending;
  assert.equal(client.calls.length, 3);
  assert.deepEqual(
    new Set(client.calls.map(({ input }) => (input as { uuid: string }).uuid)),
    new Set([uuidOf('a')]),
  );
});

test('the first failure stops the rest', async () => {
  const client = fakeClient({ 'request.submit': () => Promise.reject(new PismakError('forbidden', 'no')) });
  const requests = Array.from({ length: 100 }, (_, index) => planned(1, String(index)));
  const target = { pipeline: 'p' };
  const sending = submitRequests({
    client,
    signal,
    clock: systemClock,
    target,
    requests,
    submitted() {},
    waiting() {},
  });
  await assert.rejects(sending, { code: 'forbidden' });
  assert.ok(client.calls.length <= 4);
});

test('publish sends each file of a directory as a request, hidden ones excepted', async (context) => {
  const directory = await temporaryDirectory(context);
  for (const name of ['b.txt', 'a.txt', '.hidden']) await writeFile(join(directory, name), name);
  await mkdir(join(directory, 'inner'));
  const client = fakeClient({});
  const words = ['publish', directory, '--stages', 'read,done', '--priority', 'high', '--json'];
  const { code, stdout } = await runCommand(words, { client });
  assert.equal(code, 0);
  const sent = JSON.parse(stdout) as { uuid: string; file: string }[];
  assert.deepEqual(sent.map(({ file }) => file).sort(), [join(directory, 'a.txt'), join(directory, 'b.txt')]);
  for (const { input } of client.calls) {
    const { stages, priority, uuid } = input as { stages: string[]; priority: number; uuid: string };
    assert.deepEqual([stages, priority], [['read', 'done'], 1]);
    assert.ok(sent.some((one) => one.uuid === uuid));
  }
});

test('publish says what is missing', async () => {
  assert.match((await runCommand(['publish', '/nowhere/x', '--pipeline', 'p'])).stderr, /can't be read/);
  assert.match((await runCommand(['publish', '/etc/hostname'])).stderr, /--pipeline NAME or --stages/);
});

test('dummy sends series of requests of about the size asked for', async () => {
  const client = fakeClient({});
  const words = 'dummy --count 5 --series 2 --size 100 --spread 50 --json'.split(' ');
  const { stdout } = await runCommand(words, { client });
  const { sent, bytes } = JSON.parse(stdout) as { sent: number; bytes: number };
  assert.equal(sent, 10);
  let total = 0;
  for (const { input } of client.calls) {
    const { pipeline, files } = input as { pipeline: string; files: { content: string }[] };
    assert.equal(pipeline, 'demo');
    const size = Buffer.from(files[0]?.content ?? '', 'base64').length;
    assert.ok(size >= 50 && size <= 150);
    total += size;
  }
  assert.equal(bytes, total);
});

test('a series begins a period after the one before', async () => {
  const clock = new ManualClock(0);
  const options = { size: 1, spread: 5, count: 2, series: 2, period: 220 };
  const requests = generatedRequests(options, clock, signal, () => 0);
  assert.equal((await requests.next()).value?.size, 0);
  await requests.next();
  let arrived = false;
  const third = requests.next().then(() => {
    arrived = true;
  });
  clock.advance(219_000);
  await new Promise(setImmediate);
  assert.equal(arrived, false);
  clock.advance(1000);
  await third;
});
