import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { openBroker } from '../../src/engine/broker/open.ts';
import type { Engine } from '../../src/engine/composition/engine.ts';
import { openCoordination } from '../../src/engine/coordination/open.ts';
import { openEngine } from '../../src/engine/open-engine.ts';
import { decodeRequest, newRequest, toMessage } from '../../src/engine/request/request.ts';
import { submitRequest } from '../../src/engine/request/submit.ts';
import { settingsSchema } from '../../src/engine/settings/settings.ts';
import { eventually } from '../../src/engine/testing/eventually.ts';
import { sharedPostgres, sharedRabbit } from '../../src/engine/testing/servers/shared.ts';
import { startZookeeper } from '../../src/engine/testing/servers/zookeeper.ts';
import { temporaryDirectory } from '../../src/engine/testing/temporary-directory.ts';
import { systemClock } from '../../src/engine/time/clock.ts';
import { stopWorker } from '../../src/engine/worker/stop-worker.ts';
import { listWorkers } from '../../src/engine/worker/worker-record.ts';
import { startSystem } from '../../src/server/system.ts';
import { exitCodes } from '../../src/terminal/exit-codes.ts';
import { lastFirst } from './last-first.ts';
import { WorkerElsewhere } from './worker-elsewhere.ts';

const names = ['scale.first', 'scale.second', 'scale.third'];
const deadlineMs = 60_000;

async function startOn(
  t: TestContext,
  after: (close: () => Promise<unknown>) => void,
  addresses: object,
): Promise<{ engine: Engine; directory: string }> {
  const directory = await temporaryDirectory(t);
  const settings = settingsSchema.parse({
    ...addresses,
    data: join(directory, 'leader'),
    http: { port: 0 },
    worker: { count: 0 },
    watchdog: { periodMs: 200, reconfigurationMs: 200 },
    log: { level: 'error' },
  });
  const { engine, close } = await startSystem(settings, { purpose: 'test' });
  after(close);
  for (const name of names) {
    await engine.stages.create(
      { name, processor: 'dummy', config: 'TIME_SCALE = 0', concurrency: 4 },
      'test',
    );
  }
  return { engine, directory };
}

/** Sends requests through the three stages and waits until each has come out once. */
async function sendAndCollect(engine: Engine, count: number): Promise<void> {
  const stages = [...names, 'scale.out'];
  const files = [{ name: 'page', content: Buffer.alloc(100_000, 'x') }];
  const sent = new Set<string>();
  for (let index = 0; index < count; index++) {
    sent.add((await submitRequest(engine, { stages, files, owner: 'local', role: 'admin' })).uuid);
  }
  const seen = new Set<string>();
  const consumer = await engine.broker.consume('scale.out', { concurrency: 10 }, async (delivery) => {
    const request = decodeRequest(delivery.body);
    assert.equal(request.logs.at(-1)?.status, 'OK');
    seen.add(request.uuid);
    await delivery.ack();
  });
  await eventually('every request has come out', () => seen.size === count, deadlineMs);
  await consumer.close();
  assert.deepEqual(seen, sent);
}

test('on RabbitMQ, ZooKeeper and PostgreSQL a worker elsewhere needs only the coordination, and follows the addresses', async (t) => {
  const after = lastFirst(t);
  const [postgres, rabbit, zookeeper] = await Promise.all([
    sharedPostgres(),
    sharedRabbit(),
    startZookeeper({ size: 1 }),
  ]);
  after(() => Promise.all([postgres.close(), rabbit.close(), zookeeper.close()]));
  const [database, { url: broker }] = await Promise.all([postgres.createDatabase(), rabbit.createHost()]);
  const coordination = `${zookeeper.url.replace('://', '://pismak:secret@')}/pismak`;
  const { engine, directory } = await startOn(t, after, { broker, coordination, database, blobs: database });
  await refuseOpenNodes({ broker, database, blobs: database }, zookeeper.url, directory);
  const worker = new WorkerElsewhere(join(directory, 'elsewhere'), coordination, 'far');
  after(() => worker.end('SIGKILL'));
  await sendAndCollect(engine, 30);

  // Another broker: the worker leaves the old one and serves its stage there.
  const other = (await rabbit.createHost()).url;
  const there = await openBroker(other, { file: '', clock: systemClock });
  after(() => there.close());
  for (const queue of [...names, 'there.out']) await there.declare(queue);
  await engine.coordination.set('/servers/broker', other);
  const stage =
    (await listWorkers(engine.coordination)).find(({ record }) => record.id === 'far')?.record.stage ?? '';
  const request = newRequest({ uuid: 'moved', stages: [stage, 'there.out'], files: [], startedAt: 1 });
  await there.publish(stage, toMessage(request));
  await eventually('it came out there', async () => (await there.peek('there.out')).length === 1, deadlineMs);

  await worker.end('SIGINT');
  assert.match(worker.output, /worker far is stopped/);
  const left = (await listWorkers(engine.coordination)).find(({ record }) => record.id === 'far');
  assert.ok(left?.record.leftAt, 'it said goodbye');
});

/** Passwords of servers are nodes: nobody reads them without the user of the URL, and no process starts without one. */
async function refuseOpenNodes(addresses: object, url: string, directory: string): Promise<void> {
  const stranger = await openCoordination(`${url}/pismak`, { clock: systemClock });
  const session = await stranger.openSession('stranger');
  await assert.rejects(session.get('/servers/broker'), { code: 'forbidden' });
  await stranger.close();
  const open = { ...addresses, coordination: `${url}/open`, data: join(directory, 'open') };
  const up = (settings: object) => openEngine(settingsSchema.parse(settings), { purpose: 'test' });
  await assert.rejects(up(open), {
    code: 'configuration-invalid',
    message: /must name a user and a password/,
  });
  await (await up({ ...open, zookeeper: { allowOpenNodes: true } })).close();
}

test('on one PostgreSQL for everything, a worker elsewhere that is killed loses nothing', async (t) => {
  const after = lastFirst(t);
  const postgres = await sharedPostgres();
  after(() => postgres.close());
  const url = await postgres.createDatabase();
  const addresses = { broker: url, coordination: url, database: url, blobs: url };
  const { engine, directory } = await startOn(t, after, addresses);
  const first = new WorkerElsewhere(join(directory, 'one'), url, 'first');
  after(() => first.end('SIGKILL'));
  const collecting = sendAndCollect(engine, 60);
  await eventually(
    'it works',
    async () => (await engine.broker.status('scale.second')).ready.normal > 0,
    deadlineMs,
  );
  await first.end('SIGKILL');
  const second = new WorkerElsewhere(join(directory, 'two'), url, 'second');
  after(() => second.end('SIGKILL'));
  await collecting;
  const waiting = { waitMs: 60_000, signal: new AbortController().signal };
  assert.equal(await stopWorker(engine, 'second', waiting), true, 'told from here, it leaves');
  await eventually('its process ends', () => second.hasEnded, deadlineMs);
  assert.equal(second.exitCode, exitCodes.stopped, second.output);
  const states = (await listWorkers(engine.coordination)).map(({ record, state }) => [
    record.id,
    state,
    record.leftAt === null,
  ]);
  assert.deepEqual(states, [
    ['first', 'DEAD', true],
    ['second', 'DEAD', false],
  ]);
});
