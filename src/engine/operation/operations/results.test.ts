import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeRequest, newRequest, toMessage } from '../../request/request.ts';
import { admin, alice, mallory, openOperations } from '../../testing/call-operations.ts';
import { eventually } from '../../testing/eventually.ts';

const { engine, call } = await openOperations();
await call('stage.create', { name: 'work', processor: 'nothing' });
await call('pipeline.create', { name: 'p', stages: ['work', 'done'] }, alice);

async function finish(): Promise<string> {
  const uuid = crypto.randomUUID();
  await engine.broker.publish(
    'alice/done',
    toMessage(newRequest({ uuid, stages: ['alice/done'], files: [], startedAt: 0 })),
  );
  return uuid;
}

async function takeOne(by = alice, queue = 'alice/done') {
  const { results } = await call('results.take', { queue, waitMs: 10_000, max: 1 }, by);
  return results[0];
}

test('the owner takes a result as it was written, and confirms it', async () => {
  const uuid = await finish();
  // Without the owner's name, as it was made.
  const result = await takeOne(alice, 'done');
  assert.equal(result.uuid, uuid);
  assert.equal(decodeRequest(Buffer.from(result.message, 'base64')).uuid, uuid);
  const { receipt } = result;
  assert.deepEqual(await call('results.confirm', { receipts: [receipt, receipt] }, alice), {
    confirmed: [receipt],
    unknown: [],
  });
});

test('somebody else finds no such queue, and its receipts mean nothing', async () => {
  await finish();
  for (const queue of ['alice/done', 'done'])
    await assert.rejects(takeOne(mallory, queue), { code: 'not-found' });
  const { receipt } = await takeOne();
  for (const verb of ['confirm', 'release']) {
    const answer = await call(`results.${verb}`, { receipts: [receipt] }, mallory);
    assert.deepEqual(answer.unknown, [receipt]);
  }
  assert.deepEqual((await call('results.release', { receipts: [receipt] }, alice)).released, [receipt]);
  const again = await takeOne(admin);
  assert.deepEqual((await call('results.confirm', { receipts: [again.receipt] }, admin)).confirmed, [
    again.receipt,
  ]);
});

test('nobody takes requests away from a stage', async () => {
  await call('request.submit', { pipeline: 'p', files: [] }, alice);
  await assert.rejects(call('results.take', { queue: 'work' }, alice), { code: 'not-found' });
  await assert.rejects(call('results.take', { queue: 'work' }, admin), { code: 'queue-unknown' });
});

test('a caller who hangs up while results are under way loses none', async () => {
  const gone = new AbortController();
  const taking = call('results.take', { queue: 'done', waitMs: 30_000 }, alice, gone.signal);
  gone.abort();
  assert.deepEqual(await taking, { results: [] });
  const uuid = await finish();
  await eventually('it waits', async () => (await engine.broker.status('alice/done')).ready.normal === 1);
  assert.equal((await takeOne()).uuid, uuid);
});

test('nobody takes results from a queue that a house reads, or makes it the output of a pipeline or a stage', async () => {
  await engine.pipelines.claimOutput('house.collect');
  await assert.rejects(call('results.take', { queue: 'house.collect' }, alice), { code: 'not-found' });
  await assert.rejects(call('results.take', { queue: 'house.collect' }, admin), {
    code: 'forbidden',
    message: /Pismak itself takes the results from house\.collect/,
  });
  // For a user, the name means a queue of the user's own.
  const pipeline = { name: 'mine', stages: ['work', 'house.collect'] };
  assert.deepEqual((await call('pipeline.create', pipeline, alice)).stages, ['work', 'alice/house.collect']);
  const sent = await call('request.submit', { stages: ['work', 'house.collect'], files: [] }, alice);
  assert.deepEqual(sent.stages, ['work', 'alice/house.collect']);
  await assert.rejects(call('queue.delete', { queue: 'house.collect', force: true }), { code: 'forbidden' });
  await assert.rejects(call('stage.create', { name: 'house.collect', processor: 'nothing' }), {
    code: 'already-exists',
  });
  const { queues } = await call('queue.ls', {}, alice);
  assert.ok(!queues.some((queue: { name: string }) => queue.name === 'house.collect'));
});
