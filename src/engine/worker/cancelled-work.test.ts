import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { parseCommandConfig } from '../processor/command/command-config.ts';
import { decodeRequest, newRequest, type Request, toMessage } from '../request/request.ts';
import { settingsSchema } from '../settings/settings.ts';
import { openEmbedded } from '../testing/embedded.ts';
import { eventually } from '../testing/eventually.ts';
import { ManualClock } from '../time/clock.ts';
import { Worker } from './worker.ts';

/** A shared stage `wild` that does what its request says, in a process of its own; no worker yet. */
async function opened(t: TestContext) {
  const embedded = await openEmbedded(t);
  const { broker, cancellations, database, directory, processors, stages } = embedded;
  const module = new URL('../testing/misbehaving-processor.ts', import.meta.url);
  processors.register({ name: 'misbehaving', summary: 'for tests', module });
  const command = new URL('../processor/command/command.ts', import.meta.url);
  processors.register({
    name: 'command',
    summary: 'for tests',
    module: command,
    check: (config) => void parseCommandConfig(config),
  });
  const retry = { attempts: 5, firstDelayMs: 1, factor: 1 };
  await stages.create(
    { name: 'wild', processor: 'misbehaving', mode: 'shared', concurrency: 4, retry },
    'test',
  );
  await broker.declare('out');
  return {
    ...embedded,
    async startWorker() {
      const places = { blobsUrl: `directory:${directory}/blobs`, cacheDirectory: join(directory, 'cache') };
      const settings = settingsSchema.parse({ worker: { heartbeatMs: 100 }, command: { allow: ['*'] } });
      const worker = new Worker({ ...embedded, ...places, settings }, { id: 'w', labels: [] });
      t.after(() => worker.close());
      await worker.start();
    },
    submit(uuid: string, order: string, more: Partial<Request> & { stages?: string[] } = {}) {
      const { stages = ['wild', 'out'], ...fields } = more;
      const files = [{ name: 'order', content: Buffer.from(order) }];
      const request = newRequest({ uuid, stages, files, startedAt: 1, owner: 'anna', batch: 'book' });
      return broker.publish(stages[0] ?? '', toMessage(Object.assign(request, fields)));
    },
    async cancel(names: readonly string[], owner = 'anna') {
      await database.transaction((transaction) => cancellations.add(transaction, { owner, names }));
      await cancellations.announce();
    },
    running: (count: number) =>
      eventually(`${count} run`, async () => (await broker.status('wild')).inFlight === count),
    result: (uuid: string) =>
      eventually(`${uuid} has ended`, async () => {
        const found = await broker.peek('out', { limit: 1000 });
        return found.map(({ body }) => decodeRequest(body)).find((request) => request.uuid === uuid);
      }),
  };
}

function outcome({ logs, results }: Request) {
  const last = logs.at(-1);
  return {
    status: last?.status,
    attempt: last?.attempt,
    reason: last?.log.trim().split('\n').at(-1),
    files: results.map(({ name }) => name),
  };
}

const cancelled = { status: 'Failed', attempt: 1, reason: 'cancelled', files: ['order'] };

test('cancelled requests that wait in a queue are not run, and those of others are', async (t) => {
  const { cancel, result, startWorker, submit } = await opened(t);
  await submit('a', 'throw');
  await submit('b', '', { batch: '' });
  await submit('of-bert', '', { owner: 'bert' });
  await submit('of-letter', '', { batch: 'letter' });
  await cancel(['book', 'b']);
  await startWorker();
  for (const uuid of ['a', 'b']) assert.deepEqual(outcome(await result(uuid)), cancelled);
  for (const uuid of ['of-bert', 'of-letter']) assert.equal(outcome(await result(uuid)).status, 'OK');
});

test('running work is ended when it is cancelled, even if it never looks up; it is not tried again', async (t) => {
  const { broker, cancel, result, running, startWorker, submit } = await opened(t);
  await startWorker();
  await submit('waits', 'wait');
  await submit('spins', 'spin');
  await submit('of-bert', 'wait', { owner: 'bert' });
  await running(3);
  await cancel(['book']);
  for (const uuid of ['waits', 'spins']) {
    const { status, attempt, reason } = outcome(await result(uuid));
    // One that stops in good order may have finished at this moment.
    if (uuid === 'spins') assert.deepEqual([status, attempt, reason], ['Failed', 1, 'cancelled']);
  }
  await running(1);
  // Cancelling again, and what has ended, is harmless.
  await cancel(['book']);
  assert.equal((await broker.status('wild')).inFlight, 1);
  assert.equal((await broker.status('out')).ready.normal, 2);
  await cancel(['book'], 'bert');
  await running(0);
});

test('a cancelled program ends with everything that it has started', async (t) => {
  const { broker, cancel, result, stages, startWorker, submit } = await opened(t);
  const length = `9${Math.floor(Math.random() * 1e8)}`;
  const config = `COMMAND = sleep ${length} & (sleep ${length} & wait); wait`;
  await stages.create({ name: 'program', processor: 'command', mode: 'shared', config }, 'test');
  await startWorker();
  await submit('a', '', { stages: ['program', 'out'] });
  await eventually('both sleep', () => sleeping(length).length >= 2);
  await cancel(['book']);
  assert.equal(outcome(await result('a')).reason, 'cancelled');
  await eventually('nothing of it is left', () => sleeping(length).length === 0);
  assert.equal((await broker.status('program')).delayed, 0);
});

function sleeping(length: string): string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8') === `sleep\0${length}\0`;
    } catch {
      return false;
    }
  });
}

test('a cancelled request without an output queue ends with its blobs, and is no dead letter', async (t) => {
  const { broker, cancel, database, startWorker, submit } = await opened(t);
  const owner = 'request:anna:a';
  await database.query.insertInto('blobRef').values({ hash: 'h', owner, createdAt: 1 }).execute();
  await submit('a', '', { stages: ['wild', 'no-such-queue'], ownsBlobs: true });
  await cancel(['book']);
  await startWorker();
  await eventually('it is gone', async () => {
    const { dead, inFlight, ready } = await broker.status('wild');
    assert.equal(dead, 0);
    return inFlight + ready.normal === 0;
  });
  const left = () => database.query.selectFrom('blobRef').selectAll().where('owner', '=', owner).execute();
  await eventually('its blobs are released', async () => (await left()).length === 0);
});

test('what a killed process cancelled but did not announce is announced within a round of the service', async (t) => {
  const { cancellations, database, result, running, startWorker, submit } = await opened(t);
  await startWorker();
  await submit('spins', 'spin');
  await running(1);
  await database.transaction((transaction) =>
    cancellations.add(transaction, { owner: 'anna', names: ['book'] }),
  );
  await cancellations.forgetOld();
  assert.equal(outcome(await result('spins')).reason, 'cancelled');
});

test('the list forgets what can be in no queue any more, and nothing before', async (t) => {
  const clock = new ManualClock();
  const { broker, cancellations, database, stages } = await openEmbedded(t, { clock });
  await stages.create({ name: 'ocr', processor: 'nothing', retry: { maxDelayMs: 60_000 } }, 'test');
  const listed = async () => (await database.query.selectFrom('cancelled').select('name').execute()).length;
  const cancel = (name: string) =>
    database.transaction((transaction) => cancellations.add(transaction, { owner: 'anna', names: [name] }));
  const request = newRequest({ uuid: 'a', stages: ['ocr', 'out'], files: [], startedAt: 1, batch: 'book' });
  await broker.publish('ocr', toMessage(request));
  await cancel('book');
  clock.advance(10 * 3_600_000);
  await cancellations.forgetOld();
  assert.equal(await listed(), 1, 'an old message still waits');
  await broker.purge('ocr');
  await broker.publish('ocr', toMessage(request));
  await cancellations.forgetOld();
  assert.equal(await listed(), 0, 'only a younger message waits');
  await cancel('letter');
  await broker.purge('ocr');
  clock.advance(60_000);
  await cancellations.forgetOld();
  assert.equal(await listed(), 1, 'it may still come back from a delay');
  clock.advance(3_600_000);
  await cancellations.forgetOld();
  assert.equal(await listed(), 0);
});

test('the list has a limit: beyond it, the oldest are forgotten', async (t) => {
  const clock = new ManualClock();
  const { cancellations, database } = await openEmbedded(t, { clock });
  for (const part of ['old', 'new']) {
    const names = Array.from({ length: 6_000 }, (_, index) => `${part}${index}`);
    await database.transaction((transaction) => cancellations.add(transaction, { owner: 'anna', names }));
    clock.advance(1);
  }
  await cancellations.forgetOld();
  const left = await database.query.selectFrom('cancelled').select('name').execute();
  assert.equal(left.length, 6_000);
  assert.ok(left.every(({ name }) => name.startsWith('new')));
});
