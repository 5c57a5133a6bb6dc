import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import { type Called, fakeClient } from '../../cli/testing/run-command.ts';
import { encodeRequest, newRequest } from '../../engine/request/request.ts';
import { ResultDirectory } from '../../engine/results/result-directory.ts';
import { temporaryDirectory } from '../../engine/testing/temporary-directory.ts';
import { systemClock } from '../../engine/time/clock.ts';
import { collectResults, type Until } from './collect-results.ts';

const clock = systemClock;

function message(uuid: string): string {
  const files = [{ name: 'page.txt', content: Buffer.from('text') }];
  return Buffer.from(encodeRequest(newRequest({ uuid, stages: ['done'], files, startedAt: 0 }))).toString(
    'base64',
  );
}

/** A queue with these messages; unconfirmed ones are not given out again. */
function queueOf(messages: string[]) {
  const waiting = messages.map((text, index) => ({ receipt: `r${index}`, uuid: null, message: text }));
  return fakeClient({ 'results.take': ({ max }: { max: number }) => ({ results: waiting.splice(0, max) }) });
}

function receipts(calls: readonly Called[], name: string): string[] {
  return calls
    .filter((call) => call.name === name)
    .flatMap(({ input }) => (input as { receipts: string[] }).receipts);
}

async function collect(
  context: TestContext,
  client: ReturnType<typeof fakeClient>,
  until: Until,
  signal?: AbortSignal,
) {
  const directory = await ResultDirectory.open(await temporaryDirectory(context), { clock });
  const progress: number[] = [];
  await collectResults({
    client,
    directory,
    queue: 'done',
    until,
    signal: signal ?? new AbortController().signal,
    progress: (done) => progress.push(done),
  });
  return { counts: directory.counts, progress };
}

test('everything that waits is saved and confirmed, duplicates too', async (context) => {
  const uuids = Array.from({ length: 30 }, () => randomUUID());
  const client = queueOf([...uuids, ...uuids.slice(0, 5)].map(message));
  const { counts } = await collect(context, client, { kind: 'empty' });
  assert.deepEqual(counts, { saved: 30, failed: 0, duplicate: 5, unreadable: 0 });
  assert.equal(receipts(client.calls, 'results.confirm').length, 35);
  assert.deepEqual(receipts(client.calls, 'results.release'), []);
});

test('no more are taken than were asked for, and duplicates don’t count', async (context) => {
  const uuid = randomUUID();
  const client = queueOf([uuid, uuid, randomUUID(), randomUUID()].map(message));
  const { counts, progress } = await collect(context, client, { kind: 'count', count: 2 });
  assert.deepEqual(counts, { saved: 2, failed: 0, duplicate: 1, unreadable: 0 });
  assert.equal(receipts(client.calls, 'results.confirm').length, 3);
  assert.equal(progress.at(-1), 2);
});

test('waiting for certain requests ends when all of them have come', async (context) => {
  const mine = [randomUUID(), randomUUID()];
  const client = queueOf([...mine, ...Array.from({ length: 40 }, () => randomUUID())].map(message));
  await collect(context, client, { kind: 'uuids', uuids: new Set(mine) });
  assert.equal(client.calls.filter(({ name }) => name === 'results.take').length, 1);
});

test('what could not be saved is given back, and the rest is confirmed', async (context) => {
  const client = queueOf([message(randomUUID()), message(randomUUID())]);
  const directory = await ResultDirectory.open(await temporaryDirectory(context), { clock });
  const save = directory.save.bind(directory);
  let count = 0;
  directory.save = (result) => (++count === 2 ? Promise.reject(new Error('disk full')) : save(result));
  const signal = new AbortController().signal;
  const collecting = collectResults({
    client,
    directory,
    queue: 'q',
    until: { kind: 'empty' },
    signal,
    progress() {},
  });
  await assert.rejects(collecting, /disk full/);
  assert.deepEqual(receipts(client.calls, 'results.confirm'), ['r0']);
  assert.deepEqual(receipts(client.calls, 'results.release'), ['r1']);
});

test('an interruption takes nothing more', async (context) => {
  const client = queueOf([message(randomUUID())]);
  await assert.rejects(collect(context, client, { kind: 'interrupted' }, AbortSignal.abort()), {
    name: 'AbortError',
  });
  assert.deepEqual(client.calls, []);
});

test('collecting ends when its time is over, and says whether it was enough', async (context) => {
  const directory = await ResultDirectory.open(await temporaryDirectory(context), { clock });
  const waiting = [message(randomUUID()), message(randomUUID())];
  let now = 0;
  const waits: number[] = [];
  // Each answer takes as long as it may.
  const client = fakeClient({
    'results.take': ({ waitMs }: { waitMs: number }) => {
      waits.push(waitMs);
      now += waitMs;
      return { results: waiting.splice(0, 1).map((text) => ({ receipt: 'r', uuid: null, message: text })) };
    },
  });
  const collectFor = (until: Until, forMs: number) =>
    collectResults({
      client,
      directory,
      queue: 'done',
      until,
      signal: new AbortController().signal,
      progress() {},
      latest: { at: now + forMs, clock: { ...clock, now: () => now } },
    });
  assert.equal(await collectFor({ kind: 'count', count: 3 }, 70_000), false);
  assert.deepEqual(waits, [30_000, 30_000, 10_000], 'it does not wait beyond its time');
  assert.equal(directory.counts.saved, 2);
  waiting.push(message(randomUUID()));
  assert.equal(await collectFor({ kind: 'count', count: 1 }, 70_000), true);
  assert.equal(await collectFor({ kind: 'interrupted' }, 5_000), false);
});
