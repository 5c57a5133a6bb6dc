import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { pino } from 'pino';
import type { OutgoingMessage } from '../broker/broker.ts';
import { dummyProcessor } from '../processor/dummy.ts';
import { decodeRequest, newRequest, type Request, toMessage } from '../request/request.ts';
import { settingsSchema } from '../settings/settings.ts';
import { type Embedded, openEmbedded } from '../testing/embedded.ts';
import { eventually } from '../testing/eventually.ts';
import { stopWorker } from './stop-worker.ts';
import { Worker } from './worker.ts';
import type { WorkerParts } from './worker-parts.ts';
import { changeWorker, listWorkers } from './worker-record.ts';

/** Three stages on real embedded ports: `first` and `second` wait no time, `wild` does what its request says. */
async function opened(t: TestContext): Promise<Embedded & WorkerParts> {
  const embedded = await openEmbedded(t);
  const module = new URL('../testing/misbehaving-processor.ts', import.meta.url);
  embedded.processors.register(dummyProcessor(embedded.clock));
  embedded.processors.register({ name: 'misbehaving', summary: 'for tests', module });
  const retry = { attempts: 3, firstDelayMs: 1, factor: 1 };
  for (const name of ['first', 'second']) {
    await embedded.stages.create({ name, processor: 'dummy', config: 'TIME_SCALE = 0', retry }, 'test');
  }
  await embedded.stages.create({ name: 'wild', processor: 'misbehaving', retry, timeoutMs: 5_000 }, 'test');
  await embedded.broker.declare('out');
  const settings = settingsSchema.parse({ worker: { heartbeatMs: 100 } });
  return {
    ...embedded,
    settings,
    blobsUrl: `directory:${join(embedded.directory, 'blobs')}`,
    cacheDirectory: join(embedded.directory, 'cache'),
  };
}

async function startWorker(
  t: TestContext,
  parts: WorkerParts,
  id = 'w1',
  labels: string[] = [],
): Promise<Worker> {
  const worker = new Worker(parts, { id, labels });
  await worker.start();
  t.after(() => worker.close());
  return worker;
}

function submit(
  parts: WorkerParts,
  uuid: string,
  stages: string[],
  content = '',
  more: Partial<Request> = {},
) {
  const request = newRequest({
    uuid,
    stages,
    files: [{ name: 'order', content: Buffer.from(content) }],
    startedAt: 1,
  });
  return parts.broker.publish(stages[0] ?? '', toMessage(Object.assign(request, more)));
}

async function results(parts: WorkerParts, count: number, queue = 'out'): Promise<Map<string, Request>> {
  const look = async () => {
    const found = await parts.broker.peek(queue, { limit: 10_000 });
    return found.length >= count && found;
  };
  const messages = await eventually(`${count} results in ${queue}`, look);
  return new Map(
    messages.map((message) => decodeRequest(message.body)).map((request) => [request.uuid, request]),
  );
}

const assign = (parts: Embedded, id: string, stage: string | null) =>
  changeWorker(parts.coordination, id, (record) => ({ ...record, stage }));

test('a worker serves the stage that its record names, follows it to another, and logs each with its version', async (t) => {
  const parts = await opened(t);
  await startWorker(t, parts);
  for (let i = 0; i < 20; i++) await submit(parts, `u${i}`, ['first', 'second', 'out']);
  await assign(parts, 'w1', 'first');
  await eventually('first is empty', async () => (await parts.broker.status('second')).ready.normal === 20);
  await assign(parts, 'w1', 'second');
  const found = await results(parts, 20);
  const logs = found.get('u7')?.logs ?? [];
  assert.deepEqual(
    logs.map(({ hostId, stage, status, version }) => ({ hostId, stage, status, version })),
    ['first', 'second'].map((stage) => ({ hostId: 'w1', stage, status: 'OK', version: 1 })),
  );
});

test('a changed configuration is used from the next message on', async (t) => {
  const parts = await opened(t);
  await startWorker(t, parts);
  await assign(parts, 'w1', 'wild');
  await submit(parts, 'before', ['wild', 'out']);
  await results(parts, 1);
  await parts.stages.change('wild', { config: 'new' }, 'test');
  await eventually(
    'version 2 served',
    async () => (await listWorkers(parts.coordination))[0]?.presence?.stageVersion === 2,
  );
  await submit(parts, 'after', ['wild', 'out']);
  const found = await results(parts, 2);
  const answer = (uuid: string) => Buffer.from(found.get(uuid)?.results[1]?.content ?? []).toString();
  assert.match(answer('before'), /config , version 1/);
  assert.match(answer('after'), /config new, version 2/);
  assert.equal(found.get('after')?.logs[0]?.version, 2);
});

test('a shared stage is served by every worker, whatever its record says', async (t) => {
  const parts = await opened(t);
  await parts.stages.create(
    {
      name: 'tell',
      processor: 'dummy',
      mode: 'shared',
      config: 'TIME_SCALE = 0\nTIME_DIFF_MIN = 0.1\nTIME_DIFF_MAX = 0.1',
    },
    'test',
  );
  const workers = ['assigned', 'idle'];
  for (const id of workers) await startWorker(t, parts, id);
  await assign(parts, 'assigned', 'first');
  let sent = 0;
  await eventually('both have served it', async () => {
    // While one serves the first, the other takes the second.
    for (const _ of workers) await submit(parts, `u${++sent}`, ['tell', 'out']);
    const found = await results(parts, sent);
    const hosts = new Set([...found.values()].flatMap(({ logs }) => logs.map(({ hostId }) => hostId)));
    return workers.every((id) => hosts.has(id));
  });
});

test('a stage that asks for a label is served only by workers that have it', async (t) => {
  const parts = await opened(t);
  await parts.stages.change('first', { labels: ['gpu'] }, 'test');
  await startWorker(t, parts, 'plain');
  await startWorker(t, parts, 'strong', ['gpu']);
  await assign(parts, 'plain', 'first');
  await assign(parts, 'strong', 'first');
  for (let i = 0; i < 10; i++) await submit(parts, `u${i}`, ['first', 'out']);
  const hosts = new Set([...(await results(parts, 10)).values()].map((request) => request.logs[0]?.hostId));
  assert.deepEqual([...hosts], ['strong']);
});

test('a crashing processor costs its request an attempt, is tried again, and fails with every reason in the log', async (t) => {
  const parts = await opened(t);
  await startWorker(t, parts);
  await assign(parts, 'w1', 'wild');
  for (const order of ['crash', 'exit', 'throw', 'give up', 'spin'])
    await submit(parts, order, ['wild', 'out'], order);
  for (let i = 0; i < 5; i++) await submit(parts, `good${i}`, ['wild', 'out']);
  const found = await eventually('all ten', async () => {
    const all = await results(parts, 1);
    return all.size === 10 && all;
  });
  const log = (uuid: string) => found.get(uuid)?.logs.at(-1);
  for (let i = 0; i < 5; i++) assert.equal(log(`good${i}`)?.status, 'OK');
  for (const order of ['crash', 'exit', 'throw', 'give up', 'spin'])
    assert.equal(log(order)?.status, 'Failed');
  assert.match(log('crash')?.log ?? '', /attempt 1 failed.*SIGSEGV.*attempt 2 failed.*SIGSEGV/s);
  assert.equal(log('crash')?.attempt, 3);
  assert.equal(log('give up')?.attempt, 1, 'what can never work is not tried again');
  assert.ok(log('spin')?.end, 'a failed log says when it ended');
  const [worker] = await listWorkers(parts.coordination);
  assert.notEqual(worker?.state, 'DEAD');
});

test('a deterministic processor gets no second try after a timeout, and at most one after a crash', async (t) => {
  const parts = await opened(t);
  const module = new URL('../testing/misbehaving-processor.ts', import.meta.url);
  const isDeterministic = (config: string) => config !== 'asks the network';
  parts.processors.register({ name: 'steady', summary: 'for tests', module, isDeterministic });
  const retry = { attempts: 4, firstDelayMs: 1, factor: 1 };
  const stage = { processor: 'steady', mode: 'shared', retry, timeoutMs: 5_000 } as const;
  await parts.stages.create({ ...stage, name: 'steady' }, 'test');
  await parts.stages.create({ ...stage, name: 'unsteady', config: 'asks the network' }, 'test');
  await startWorker(t, parts);
  for (const order of ['spin', 'crash', 'throw']) await submit(parts, order, ['steady', 'out'], order);
  await submit(parts, 'crash elsewhere', ['unsteady', 'out'], 'crash');
  const found = await results(parts, 4);
  const attempts = (uuid: string) => found.get(uuid)?.logs.at(-1)?.attempt ?? 0;
  assert.equal(attempts('spin'), 1);
  assert.match(found.get('spin')?.logs.at(-1)?.log ?? '', /took longer than 5000 ms/);
  assert.ok(attempts('crash') <= 2, `${attempts('crash')} attempts`);
  assert.equal(attempts('throw'), 4, 'what it throws may be worth another try');
  assert.equal(attempts('crash elsewhere'), 4);
});

test('every kind of poison goes where the outcome table says, and good requests beside it finish', async (t) => {
  const parts = await opened(t);
  await startWorker(t, parts);
  await assign(parts, 'w1', 'first');
  const raw = (id: string, body: Uint8Array): OutgoingMessage => ({ id, body });
  const good = toMessage(newRequest({ uuid: 'cut', stages: ['first', 'out'], files: [], startedAt: 1 })).body;
  await parts.broker.publish('first', raw('noise', Buffer.from([1, 2, 3, 255, 254])));
  await parts.broker.publish('first', raw('truncated', good.subarray(0, good.length - 5)));
  await submit(parts, 'no next stage', ['first', 'nowhere', 'out']);
  await submit(parts, 'no output', ['first', 'missing']);
  await submit(parts, 'neither', ['first', 'nowhere', 'missing']);
  await submit(parts, 'good', ['first', 'out']);
  await parts.broker.publish(
    'first',
    toMessage(newRequest({ uuid: 'astray', stages: ['second', 'out'], files: [], startedAt: 1 })),
  );
  const found = await eventually('three results', async () => {
    const all = await results(parts, 1);
    return all.size === 3 && all;
  });
  assert.equal(found.get('good')?.logs.at(-1)?.status, 'OK');
  assert.equal(found.get('no next stage')?.logs.at(-1)?.status, 'Failed');
  assert.match(found.get('no next stage')?.logs.at(-1)?.log ?? '', /nowhere does not exist/);
  assert.match(found.get('astray')?.logs.at(-1)?.log ?? '', /waits for second/);
  const dead = await eventually('four dead letters', async () => {
    const letters = await parts.broker.dead('first');
    return letters.length === 4 && letters;
  });
  const reasons = Object.fromEntries(dead.map((letter) => [letter.id, letter.history.at(-1)?.reason ?? '']));
  assert.match(reasons.noise ?? '', /not a processing request/);
  assert.match(reasons.truncated ?? '', /not a processing request/);
  assert.match(reasons['no output/2'] ?? '', /missing does not exist/);
});

test('a stopping worker finishes what it has begun and gives back the rest; its record stays', async (t) => {
  const parts = await opened(t);
  await parts.stages.change(
    'first',
    { config: 'TIME_SCALE = 0\nTIME_DIFF_MIN = 0.2\nTIME_DIFF_MAX = 0.2' },
    'test',
  );
  const worker = await startWorker(t, parts);
  for (let i = 0; i < 10; i++) await submit(parts, `u${i}`, ['first', 'out']);
  await assign(parts, 'w1', 'first');
  await eventually(
    'one under way',
    async () => (await listWorkers(parts.coordination))[0]?.state === 'PROCESSING',
  );
  await worker.close();
  const { ready, inFlight } = await parts.broker.status('first');
  const done = (await parts.broker.peek('out')).length;
  assert.equal(inFlight, 0);
  assert.equal(ready.normal + done, 10);
  assert.ok(done >= 1);
  const [view] = await listWorkers(parts.coordination);
  assert.equal(view?.state, 'DEAD');
  assert.ok(view?.record.leftAt);
});

test('a worker of another process follows the order to stop, and one that starts later under its name does not', async (t) => {
  const parts = await opened(t);
  const told = new Worker(parts, { id: 'w1', labels: [], onStop: () => void told.close() });
  await told.start();
  const stop = () => stopWorker(parts, 'w1', { waitMs: 60_000, signal: new AbortController().signal });
  assert.equal(await stop(), true);
  const [left] = await listWorkers(parts.coordination);
  assert.deepEqual([left?.state, typeof left?.record.leftAt], ['DEAD', 'number']);
  await changeWorker(parts.coordination, 'w1', (record) => ({ ...record, stop: 'an earlier life' }));
  const later = await startWorker(t, parts);
  const [view] = await listWorkers(parts.coordination);
  assert.deepEqual([view?.record.stop, view?.record.leftAt], [null, null]);
  assert.notEqual(view?.state, 'DEAD');
  await later.close();
});

test('two workers cannot have one name', async (t) => {
  const parts = await opened(t);
  await startWorker(t, parts);
  await assert.rejects(new Worker(parts, { id: 'w1', labels: [] }).start(), { code: 'already-exists' });
});

test('a stage that cannot be loaded makes the worker FAILED with the reason, loses nothing, and a repaired one is served', async (t) => {
  const parts = await opened(t);
  await parts.stages.change('wild', { config: 'fail to load' }, 'test');
  await startWorker(t, parts);
  await submit(parts, 'u', ['wild', 'out']);
  await assign(parts, 'w1', 'wild');
  const failed = await eventually('FAILED', async () => {
    const [view] = await listWorkers(parts.coordination);
    return view?.state === 'FAILED' && view.record.failure && view;
  });
  assert.match(failed.record.failure ?? '', /never loads/);
  assert.match(failed.presence?.unable.wild ?? '', /never loads/, 'so that the watchdog sends it elsewhere');
  await parts.stages.change('wild', { config: '' }, 'test');
  const request = (await results(parts, 1)).get('u');
  assert.equal(request?.logs[0]?.attempt, 1, 'the time that could not be loaded is not charged');
  await eventually(
    'not FAILED any more',
    async () => (await listWorkers(parts.coordination))[0]?.record.failure === null,
  );
});

test('a worker that cannot find out what a stage can do says so, and not at once that all is well again', async (t) => {
  const parts = await opened(t);
  const offers = () => Promise.reject(new Error('no models there'));
  parts.processors.register({ ...dummyProcessor(parts.clock), name: 'puzzled', offers });
  await parts.stages.create({ name: 'puzzling', processor: 'puzzled' }, 'test');
  const told: string[] = [];
  const log = pino({}, { write: (line: string) => void told.push(JSON.parse(line).msg) });
  await startWorker(t, { ...parts, log });
  const unknown = 'what a stage can do here is unknown';
  await eventually('it says so', () => told.includes(unknown));
  const heartbeat = async () => (await listWorkers(parts.coordination))[0]?.presence?.heartbeatAt ?? 0;
  const before = await heartbeat();
  await eventually('it reports again', async () => (await heartbeat()) > before + 200);
  assert.deepEqual(
    told.filter((text) => text === unknown || text === 'all is well again'),
    [unknown],
  );
});

test('a worker whose session expired comes back with a new one and goes on', async (t) => {
  const parts = await opened(t);
  const sessions: string[] = [];
  const openSession = async (identity: string) => {
    const session = await parts.openSession(identity);
    sessions.push(session.session);
    return session;
  };
  await startWorker(t, { ...parts, openSession });
  await assign(parts, 'w1', 'first');
  await parts.tree.expire(sessions[0] ?? '');
  await eventually('a second session', () => sessions.length === 2);
  await submit(parts, 'u', ['first', 'out']);
  assert.ok((await results(parts, 1)).has('u'));
});

test('large results travel by reference, and are put back inside for a producer that knows no references', async (t) => {
  const parts = await opened(t);
  await startWorker(t, parts);
  await assign(parts, 'w1', 'first');
  const large = 'x'.repeat(100_000);
  await submit(parts, 'ours', ['first', 'out'], large);
  await submit(parts, 'foreign', ['first', 'out'], large, { acceptsReferences: false });
  const found = await results(parts, 2);
  assert.equal(found.get('ours')?.results[0]?.content.length, 0);
  assert.match(found.get('ours')?.results[0]?.blob ?? '', /^[0-9a-f]{64}$/);
  assert.equal(found.get('foreign')?.results[0]?.content.length, large.length);
  const owners = await parts.database.query.selectFrom('blobRef').select('owner').execute();
  assert.deepEqual(owners, [{ owner: 'request::ours' }]);
});

test('a worker that waits for room in the next queue can be sent there to make it', async (t) => {
  const parts = await opened(t);
  await parts.stages.change('second', { maxLength: 2 }, 'test');
  await startWorker(t, parts);
  for (let i = 0; i < 4; i++) await submit(parts, `u${i}`, ['first', 'second', 'out']);
  await assign(parts, 'w1', 'first');
  await eventually('second is full', async () => (await parts.broker.status('second')).ready.normal === 2);
  await assign(parts, 'w1', 'second');
  await results(parts, 2);
  await assign(parts, 'w1', 'first');
  await eventually('first is empty', async () => (await parts.broker.status('second')).ready.normal === 2);
  await assign(parts, 'w1', 'second');
  assert.equal((await results(parts, 4)).size, 4);
});

test('a full queue holds the worker up and loses nothing', async (t) => {
  const parts = await opened(t);
  await parts.broker.declare('out', { maxLength: 2 });
  await startWorker(t, parts);
  await assign(parts, 'w1', 'first');
  for (let i = 0; i < 5; i++) await submit(parts, `u${i}`, ['first', 'out']);
  await results(parts, 2);
  await eventually('the worker waits with the third', async () => {
    const { inFlight } = await parts.broker.status('first');
    return inFlight > 0;
  });
  assert.equal((await results(parts, 2)).size, 2, 'no more than the queue may hold');
  const seen = new Set<string>();
  const consumer = await parts.broker.consume('out', { concurrency: 1, prefetch: 1 }, async (delivery) => {
    seen.add(decodeRequest(delivery.body).uuid);
    await delivery.ack();
  });
  await eventually('all five', () => seen.size === 5);
  await consumer.close();
});
