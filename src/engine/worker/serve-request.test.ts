import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Delivery } from '../broker/broker.ts';
import type { Runner } from '../processor/runner.ts';
import { decodeRequest, newFile, newRequest, type ResultFile, toMessage } from '../request/request.ts';
import type { Stage } from '../stage/stage.ts';
import { openEmbedded } from '../testing/embedded.ts';
import { eventually } from '../testing/eventually.ts';
import { ManualClock } from '../time/clock.ts';
import { CancelledWork } from './cancelled-work.ts';
import { serveRequest } from './serve-request.ts';

test('results that were erased while a long job was running are made again, not passed on without their bytes', async (t) => {
  const clock = new ManualClock();
  const embedded = await openEmbedded(t, { clock });
  const { blobs, broker, stages } = embedded;
  const stage = await stages.create({ name: 'slow', processor: 'nothing' }, 'test');
  await broker.declare('out');
  const files = [{ name: 'order', content: Buffer.from('x') }];
  await broker.publish(
    'slow',
    toMessage(newRequest({ uuid: 'u', stages: ['slow', 'out'], files, startedAt: 1 })),
  );
  let runs = 0;
  const runner: Runner = {
    async load() {},
    isLoaded: () => true,
    async close() {},
    async run(job) {
      const { hash, size } = await blobs.put(Buffer.from('a page'));
      clock.advance(120_000);
      // A document with the same page is deleted.
      if (++runs === 1) await blobs.remove(hash);
      const page = { ...newFile('page', Buffer.alloc(0)), blob: hash, size: BigInt(size) };
      return { ok: true, files: [...job.files, page], log: '' };
    },
  };
  const { signal } = new AbortController();
  const parts = { ...embedded, blobsUrl: '', cacheDirectory: '' };
  const cancelled = new CancelledWork(embedded);
  t.after(() => cancelled.close());
  const failures: string[] = [];
  const consumer = await broker.consume('slow', { concurrency: 1 }, (delivery: Delivery) =>
    serveRequest(
      {
        parts,
        workerId: 'w',
        stage,
        runner,
        cancelled,
        signal,
        leaving: signal,
        onProcessed() {},
        onFailed() {},
        onNotLoaded() {},
      },
      delivery,
    ).catch((error: unknown) => {
      failures.push(String(error));
      throw error;
    }),
  );
  t.after(() => consumer.close());
  const [message] = await eventually('it is passed on', async () => {
    // What is to be tried again waits for the clock.
    if (failures.length > 0) clock.advance(1_000);
    const found = await broker.peek('out', { limit: 1 });
    return found.length > 0 && found;
  });
  assert.equal(runs, 2);
  assert.match(failures.join(), /page was erased while the request was processed/);
  assert.ok(message);
  const page = decodeRequest(message.body).results.find(({ name }) => name === 'page');
  assert.ok(await blobs.has(page?.blob ?? ''));
});

test('a request whose next stage was deleted fails with the reason, and its event says so, though this stage did its part', async (t) => {
  const embedded = await openEmbedded(t);
  const { broker, events, stages } = embedded;
  const stage = await stages.create({ name: 'first', processor: 'nothing' }, 'test');
  await broker.declare('out');
  const request = newRequest({ uuid: 'u', stages: ['first', 'gone', 'out'], files: [], startedAt: 1 });
  await broker.publish('first', toMessage(request));
  const runner: Runner = {
    async load() {},
    isLoaded: () => true,
    async close() {},
    run: async (job) => ({ ok: true, files: [...job.files], log: '' }),
  };
  const { signal } = new AbortController();
  const parts = { ...embedded, blobsUrl: '', cacheDirectory: '' };
  const cancelled = new CancelledWork(embedded);
  t.after(() => cancelled.close());
  const serving = { parts, workerId: 'w', stage, runner, cancelled, signal, leaving: signal };
  const consumer = await broker.consume('first', { concurrency: 1 }, (delivery: Delivery) =>
    serveRequest({ ...serving, onProcessed() {}, onFailed() {}, onNotLoaded() {} }, delivery),
  );
  t.after(() => consumer.close());
  const [event] = await eventually('the event', async () => {
    const found = events.recent({ kind: 'request.processed' });
    return found.length > 0 && found;
  });
  assert.equal(event?.dimensions?.status, 'Failed');
  assert.equal(event?.dimensions?.outcome, 'output');
  const [failed] = await broker.peek('out', { limit: 2 });
  const { logs } = decodeRequest(failed?.body ?? new Uint8Array());
  assert.match(
    JSON.stringify(logs.map(({ stage, status, log }) => [stage, status, log])),
    /"Failed","stage gone does not exist, so/,
  );
});
test('a request that carries too much goes to the dead letters at once, with the reason', async (t) => {
  const { broker, served } = await serveWith(t, (files) => files);
  const request = newRequest({ uuid: 'crowded', stages: ['read', 'out'], files: [], startedAt: 1 });
  for (let count = 0; count < 100_000; count++) request.results.push(newFile('f', Buffer.alloc(0)));
  await broker.publish('read', toMessage(request));
  await broker.publish('read', toMessage(newRequest({ ...good, uuid: 'good' })));
  const [dead] = await eventually('it is a dead letter', async () => {
    const found = await broker.dead('read');
    return found.length > 0 && found;
  });
  assert.match(dead?.history.at(-1)?.reason ?? '', /carries too much: it has more than 50000 files/);
  await eventually('the next one is served', async () => (await broker.peek('out')).length === 1);
  assert.deepEqual(served, ['good']);
});

test('a request that a stage loads with too much fails there, and is not tried again', async (t) => {
  const page = newFile('page', Buffer.alloc(0));
  const { broker, served } = await serveWith(t, () => Array.from({ length: 60_000 }, () => page));
  await broker.publish('read', toMessage(newRequest({ ...good, uuid: 'growing' })));
  const [message] = await eventually('it is in the output queue', async () => {
    const found = await broker.peek('out');
    return found.length > 0 && found;
  });
  const { results, logs } = decodeRequest(message?.body ?? new Uint8Array());
  assert.deepEqual([results.length, logs[0]?.status, served], [1, 'Failed', ['growing']]);
  assert.match(logs[0]?.log ?? '', /can't go on: after this stage it has 60000 files; the limit is 50000/);
});

test('a request that this worker cannot serve waits for one that can, and its attempts are not charged', async (t) => {
  const clock = new ManualClock();
  const embedded = await openEmbedded(t, { clock });
  const retry = { attempts: 2, firstDelayMs: 1, factor: 1, maxDelayMs: 1, jitter: 0 };
  const stage = await embedded.stages.create({ name: 'read', processor: 'nothing', retry }, 'test');
  await embedded.broker.declare('out');
  const answers = ['wrong', 'wrong', 'wrong', 'wrong', 'bad', 'wrong', 'good'];
  const run: Runner['run'] = async ({ files }) => {
    const answer = answers.shift();
    if (answer === 'good') return { ok: true, files: [...files], log: '' };
    const wrongWorker = answer === 'wrong';
    return { ok: false, reason: `${answer}`, permanent: false, wrongWorker, aborted: false, log: '' };
  };
  await serveStage(t, { embedded, stage, run });
  await embedded.broker.publish('read', toMessage(newRequest({ ...good, uuid: 'u' })));
  const [message] = await eventually('it is passed on', async () => {
    clock.advance(60_000);
    const found = await embedded.broker.peek('out');
    return found.length > 0 && found;
  });
  const [log] = decodeRequest(message?.body ?? new Uint8Array()).logs;
  assert.equal(log?.status, 'OK');
  assert.match(log?.log ?? '', /attempt 1 failed: not for this worker: wrong/);
});

test('a request that no worker can serve fails in the end, with the reason', async (t) => {
  const clock = new ManualClock();
  const embedded = await openEmbedded(t, { clock });
  const stage = await embedded.stages.create({ name: 'read', processor: 'nothing' }, 'test');
  await embedded.broker.declare('out');
  let runs = 0;
  const run: Runner['run'] = async () => {
    runs++;
    const reason = 'unknown format docx';
    return { ok: false, reason, permanent: false, wrongWorker: true, aborted: false, log: reason };
  };
  await serveStage(t, { embedded, stage, run });
  await embedded.broker.publish('read', toMessage(newRequest({ ...good, uuid: 'u' })));
  const [message] = await eventually('it has failed', async () => {
    clock.advance(60_000);
    const found = await embedded.broker.peek('out');
    return found.length > 0 && found;
  });
  const [log] = decodeRequest(message?.body ?? new Uint8Array()).logs;
  assert.deepEqual([log?.status, runs], ['Failed', 101]);
  assert.match(log?.log ?? '', /unknown format docx$/);
});

const good = { stages: ['read', 'out'], files: [{ name: 'order', content: Buffer.from('x') }], startedAt: 1 };

/** A consumer that serves the stage `read`; its processor leaves the files that `work` returns. */
async function serveWith(
  t: TestContext,
  work: (files: readonly ResultFile[]) => ResultFile[] | readonly ResultFile[],
) {
  const embedded = await openEmbedded(t);
  const { broker, stages } = embedded;
  const stage = await stages.create({ name: 'read', processor: 'nothing' }, 'test');
  await broker.declare('out');
  const served: string[] = [];
  await serveStage(t, {
    embedded,
    stage,
    async run({ uuid, files }) {
      served.push(uuid);
      return { ok: true, files: [...work(files)], log: '' };
    },
  });
  return { broker, served };
}

/** A consumer that serves a stage with this runner. */
async function serveStage(
  t: TestContext,
  {
    embedded,
    stage,
    run,
  }: { embedded: Awaited<ReturnType<typeof openEmbedded>>; stage: Stage; run: Runner['run'] },
): Promise<void> {
  const runner: Runner = { async load() {}, isLoaded: () => true, async close() {}, run };
  const { signal } = new AbortController();
  const parts = { ...embedded, blobsUrl: '', cacheDirectory: '' };
  const cancelled = new CancelledWork(embedded);
  t.after(() => cancelled.close());
  const serving = {
    parts,
    workerId: 'w',
    stage,
    runner,
    cancelled,
    signal,
    leaving: signal,
    onProcessed() {},
    onFailed() {},
    onNotLoaded() {},
  };
  const consumer = await embedded.broker.consume(stage.name, { concurrency: 1 }, (delivery) =>
    serveRequest(serving, delivery),
  );
  t.after(() => consumer.close());
}
