import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newRequest, toMessage } from '../request/request.ts';
import { openEmbedded } from '../testing/embedded.ts';
import { eventually } from '../testing/eventually.ts';
import { startWorker } from '../testing/start-worker.ts';
import { changeWorker, listWorkers, type WorkerPresence } from './worker-record.ts';

test('a worker reports what the watchdog plans with: costs of switches, since when it is busy, where messages went', async (t) => {
  const embedded = await openEmbedded(t);
  const { broker, coordination, processors, stages } = embedded;
  const gate = Promise.withResolvers<void>();
  processors.register({
    name: 'waits',
    summary: 'Waits until it is let go',
    inline: async () => () => gate.promise,
  });
  for (const name of ['a', 'b']) await stages.create({ name, processor: 'waits' }, 'test');
  await broker.declare('out');
  await startWorker(t, embedded);
  const reported = (what: string, isSo: (presence: WorkerPresence) => boolean) =>
    eventually(what, async () => {
      const presence = (await listWorkers(coordination))[0]?.presence;
      return presence && isSo(presence) ? presence : undefined;
    });
  const assign = (stage: string) => changeWorker(coordination, 'w', (record) => ({ ...record, stage }));

  await assign('a');
  const cold = await reported('it serves a', ({ stage }) => stage === 'a');
  assert.equal(typeof cold.coldMs, 'number');
  assert.equal(cold.warmMs, null);
  assert.equal(cold.busySince, null);

  const before = Date.now();
  const request = newRequest({ uuid: 'u', stages: ['a', 'b', 'out'], files: [], startedAt: 1 });
  await broker.publish('a', toMessage(request));
  const busy = await reported('it is busy', ({ busySince }) => typeof busySince === 'number');
  assert.ok((busy.busySince ?? 0) >= before && (busy.busySince ?? 0) <= Date.now());
  gate.resolve();
  const done = await reported('it is done', ({ timings }) => timings.a?.count === 1);
  assert.deepEqual(done.timings.a?.next, { b: 1 });

  await assign('b');
  // What is finished in its last stage goes nowhere.
  await reported('b is done', ({ timings }) => timings.b?.count === 1 && timings.b.next?.out === undefined);
  await assign('a');
  const warm = await reported('it is back', ({ stage, warmMs }) => stage === 'a' && warmMs !== null);
  assert.ok(warm.loaded.includes('b'));
});
