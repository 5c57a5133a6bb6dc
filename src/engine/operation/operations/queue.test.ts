import assert from 'node:assert/strict';
import { test } from 'node:test';
import { alice, mallory, openOperations, reader } from '../../testing/call-operations.ts';

const { engine, call } = await openOperations();
await call('stage.create', { name: 'work', processor: 'nothing' });

test('a user sees the queues of stages and output queues of its own', async () => {
  await call('pipeline.create', { name: 'a', stages: ['work', 'of-alice'] }, alice);
  const names = async (by: typeof alice) =>
    (await call('queue.ls', {}, by)).queues.map((queue: { name: string }) => queue.name);
  assert.deepEqual(await names(alice), ['alert-webhook', 'alice/of-alice', 'webhook', 'work']);
  assert.deepEqual(await names(mallory), ['alert-webhook', 'webhook', 'work']);
  assert.deepEqual(await names(reader), ['alert-webhook', 'webhook', 'work']);
  const [, output] = (await call('queue.ls')).queues;
  assert.deepEqual([output.kind, output.owner], ['output', 'alice']);
});

test('a look into a queue shows what the requests are, bodies only when asked for', async () => {
  const files = [{ name: 'page.txt', content: Buffer.from('a page').toString('base64') }];
  const { uuid } = await call(
    'request.submit',
    { stages: ['work', 'of-alice'], files, priority: 1 },
    { ...alice, mayPrioritise: true },
  );
  await engine.broker.publish('work', { id: 'poison', body: Buffer.from([255, 1]) });
  const { messages } = await call('queue.peek', { queue: 'work' });
  const [request, poison] = messages;
  assert.equal(request.request.uuid, uuid);
  assert.deepEqual(request.request.stages, ['work', 'alice/of-alice']);
  assert.deepEqual(request.request.files, [{ name: 'page.txt', size: 6, blob: null }]);
  assert.equal(request.request.owner, 'alice');
  assert.deepEqual([request.lane, request.state, request.body], ['high', 'ready', null]);
  assert.deepEqual([poison.request, poison.size], [null, 2]);
  const whole = await call('queue.peek', { queue: 'work', bodies: true });
  assert.equal(whole.messages[1].body, Buffer.from([255, 1]).toString('base64'));
});

test('bodies of one answer are bounded, whatever waits', async () => {
  await engine.broker.declare('large');
  for (const id of ['1', '2', '3', '4']) {
    await engine.broker.publish('large', { id, body: Buffer.alloc(4 * 1024 * 1024) });
  }
  const { messages } = await call('queue.peek', { queue: 'large', bodies: true });
  assert.deepEqual(
    messages.map((message: { body: string | null }) => message.body !== null),
    [true, true, false, false],
  );
});

test('dead letters are shown with their reason, given back or discarded', async () => {
  await engine.broker.declare('dying');
  for (const id of ['1', '2', '3']) await engine.broker.publish('dying', { id, body: Buffer.from('x') });
  const buried = Promise.withResolvers<void>();
  let count = 0;
  const consumer = await engine.broker.consume('dying', { concurrency: 1 }, async (delivery) => {
    await delivery.deadLetter('no good');
    if (++count === 3) buried.resolve();
  });
  await buried.promise;
  await consumer.close();
  const { messages } = await call('queue.dead', { queue: 'dying', limit: 2 });
  assert.deepEqual(
    messages.map((message: { id: string; history: { reason: string }[] }) => [
      message.id,
      message.history[0]?.reason,
    ]),
    [
      ['1', 'no good'],
      ['2', 'no good'],
    ],
  );
  assert.deepEqual(await call('queue.redrive', { queue: 'dying', ids: ['1', 'missing'] }), { count: 1 });
  assert.deepEqual(await call('queue.discard', { queue: 'dying' }), { count: 2 });
  assert.deepEqual(await call('queue.purge', { queue: 'dying' }), { count: 1 });
});

test('a queue is paused and goes on', async () => {
  await call('queue.pause', { queue: 'work' });
  assert.equal((await engine.broker.status('work')).paused, true);
  await call('queue.resume', { queue: 'work' });
  assert.equal((await engine.broker.status('work')).paused, false);
});

test('every operation on a queue that is not there says so', async () => {
  for (const verb of ['peek', 'dead', 'purge', 'pause', 'resume', 'redrive', 'discard']) {
    await assert.rejects(call(`queue.${verb}`, { queue: 'nowhere' }), { code: 'queue-unknown' }, verb);
  }
});

test('dead letters are counted by filter, and exactly those are redriven', async () => {
  await engine.broker.declare('failing');
  const bury = async (id: string, reason: string) => {
    await engine.broker.publish('failing', { id, body: Buffer.from(`body of ${id}`) });
    const buried = Promise.withResolvers<void>();
    const consumer = await engine.broker.consume('failing', { concurrency: 1 }, async (delivery) => {
      await delivery.deadLetter(reason);
      buried.resolve();
    });
    await buried.promise;
    await consumer.close();
  };
  await bury('1', 'Timeout after 5 s');
  await bury('2', 'no model');
  await bury('3', 'timeout after 9 s');
  const { count, before, messages } = await call('queue.dead', {
    queue: 'failing',
    reason: 'timeout',
    limit: 1,
  });
  assert.deepEqual([count, messages.length, messages[0].id], [2, 1, '1']);
  assert.equal((await call('queue.dead', { queue: 'failing' })).count, 3);
  assert.equal((await call('queue.dead', { queue: 'failing', text: 'body of 2' })).count, 1);
  const later = { queue: 'failing', reason: 'timeout', since: before };
  assert.equal((await call('queue.dead', later)).count, 0);
  assert.deepEqual(await call('queue.redrive', { queue: 'failing', reason: 'timeout', before }), {
    count: 2,
  });
  await assert.rejects(call('queue.discard', { queue: 'failing', ids: ['2'], reason: 'no' }), {
    code: 'invalid-input',
  });
  assert.deepEqual(await call('queue.discard', { queue: 'failing', reason: 'no model' }), { count: 1 });
});

test('of waiting messages the first thousand can be searched, and the answer says so', async () => {
  await engine.broker.declare('long');
  const ids = Array.from({ length: 1100 }, (_, index) => `m${index}`);
  await Promise.all(ids.map((id) => engine.broker.publish('long', { id, body: Buffer.from(`<${id}>`) })));
  const found = async (text: string) => {
    const { messages, searched, waiting } = await call('queue.peek', { queue: 'long', text });
    return [searched, waiting, ...messages.map(({ id }: { id: string }) => id)];
  };
  assert.deepEqual(await found('<m999>'), [1000, 1100, 'm999']);
  assert.deepEqual(await found('<m1000>'), [1000, 1100]);
  const { searched, waiting } = await call('queue.peek', { queue: 'long' });
  assert.deepEqual([searched, waiting], [null, null]);
});
