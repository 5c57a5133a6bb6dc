import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ownersOf } from '../blob-owners/owners-of.ts';
import { decodeRequest } from '../request/request.ts';
import { admin, alice, openOperations } from '../testing/call-operations.ts';

const { engine, call } = await openOperations();
const { broker, database } = engine;
await call('stage.create', { name: 'work', processor: 'nothing' });

async function submit(output: string): Promise<{ uuid: string; hash: string }> {
  const content = Buffer.alloc(100_000, output).toString('base64');
  const { uuid } = await call(
    'request.submit',
    { stages: ['work', output], files: [{ name: 'a', content }] },
    alice,
  );
  const messages = await broker.peek('work', { limit: 1000 });
  const request = messages.map(({ body }) => decodeRequest(body)).find((one) => one.uuid === uuid);
  return { uuid, hash: request?.results[0]?.blob ?? '' };
}

/** What a worker would do. */
async function finish(queue: string): Promise<void> {
  const consumer = await broker.consume('work', { concurrency: 1 }, async (delivery) => {
    await broker.publish(queue, { id: delivery.id, body: delivery.body });
    await delivery.ack();
  });
  while ((await broker.status(queue)).ready.normal === 0) await new Promise(setImmediate);
  await consumer.close();
}

const hasOwner = async (hash: string) =>
  (await ownersOf(database.query, hash, 'request:alice:').execute()).length > 0;

const conflict = (message: RegExp) => ({ code: 'conflict', message });

test('an unused output queue is deleted, and its name is free again', async () => {
  await call('pipeline.create', { name: 'p', stages: ['work', 'unused'] }, alice);
  await assert.rejects(call('queue.delete', { queue: 'unused' }, alice), conflict(/pipeline alice\/p ends/));
  await call('pipeline.delete', { name: 'p' }, alice);
  assert.deepEqual(await call('queue.delete', { queue: 'unused' }, alice), { results: 0 });
  await assert.rejects(broker.status('alice/unused'), { code: 'queue-unknown' });
  await assert.rejects(call('queue.delete', { queue: 'unused' }, alice), { code: 'not-found' });
  await submit('unused');
  await broker.purge('work');
});

test('a queue with results is deleted only by force, with the results and their blobs', async () => {
  const { uuid, hash } = await submit('full');
  await finish('alice/full');
  assert.ok(await hasOwner(hash));
  await assert.rejects(call('queue.delete', { queue: 'full' }, alice), conflict(/1 results wait/));
  assert.deepEqual(await call('queue.delete', { queue: 'alice/full', force: true }, admin), { results: 1 });
  assert.ok(!(await hasOwner(hash)));
  assert.deepEqual(await engine.openRequests.ownersOf(uuid), []);
});

test('requests on their way to a queue that is deleted by force are cancelled', async () => {
  const { uuid } = await submit('target');
  await assert.rejects(call('queue.delete', { queue: 'target' }, alice), conflict(/on their way/));
  await call('queue.delete', { queue: 'target', force: true }, alice);
  const { name } = await database.query
    .selectFrom('cancelled')
    .select('name')
    .where('owner', '=', 'alice')
    .executeTakeFirstOrThrow();
  assert.equal(name, uuid);
  assert.deepEqual(await engine.openRequests.ownersOf(uuid), []);
});

test('a deletion that was interrupted is repeated', async () => {
  await submit('half');
  await broker.remove('alice/half');
  assert.deepEqual(await call('queue.delete', { queue: 'half', force: true }, alice), { results: 0 });
  assert.equal(await engine.pipelines.outputOwner('alice/half'), undefined);
});

test('the queue of a stage is not deleted this way', async () => {
  await assert.rejects(call('queue.delete', { queue: 'work', force: true }, alice), { code: 'not-found' });
  await assert.rejects(call('queue.delete', { queue: 'work', force: true }, admin), {
    code: 'queue-unknown',
  });
});
