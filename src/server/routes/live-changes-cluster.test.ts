import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { runSampler } from '../../engine/sample/sampler.ts';
import { sharedPostgres } from '../../engine/testing/servers/shared.ts';
import { followChanges } from '../testing/event-stream.ts';
import { runServer } from '../testing/running-server.ts';

const postgres = await sharedPostgres();
after(() => postgres.close());

test('a change made through one process appears in the streams of all, and a client goes on at any of them', async (t) => {
  const url = await postgres.createDatabase();
  const settings = { database: url, coordination: url, broker: url, blobs: url };
  const one = await runServer(t, { settings });
  const two = await runServer(t, { settings });
  const admin = await one.signUp('root', 'admin');
  const stream = await followChanges(two, admin);
  assert.equal((await stream.next())?.event, 'ready');
  const create = (name: string) => one.call('stage.create', { name, processor: 'dummy' }, admin);
  assert.equal((await create('first')).status, 200);
  let first = await stream.next();
  // The key of the administrator may be told after the stream has begun.
  while (first?.data.kind === 'key') first = await stream.next();
  assert.deepEqual([first?.event, first?.data.kind, first?.data.entity], ['change', 'stage', 'first']);
  await stream.close();

  await create('second');
  const here = await followChanges(one, { ...admin, lastEventId: first?.id ?? 0 });
  assert.deepEqual([(await here.next())?.event, (await here.next())?.data.entity], ['ready', 'second']);
  await two.call('stage.delete', { name: 'second' }, admin);
  assert.deepEqual((await here.next())?.data.data, { deleted: true });
  await here.close();
});

test('a sample of one process reaches the streams of all, each with what its user may see', async (t) => {
  const url = await postgres.createDatabase();
  const settings = { database: url, coordination: url, broker: url, blobs: url };
  const one = await runServer(t, { settings });
  const two = await runServer(t, { settings });
  const [anna, root] = [await one.signUp('anna', 'user'), await one.signUp('root', 'admin')];
  await one.call('stage.create', { name: 'read', processor: 'dummy' }, root);
  await one.engine.broker.declare('foreign');
  for (const queue of ['read', 'foreign'])
    await one.engine.broker.publish(queue, { id: 'm', body: new Uint8Array(1) });
  const sampler = runSampler({ ...one.engine, progress: async () => [], reported: async () => [] });
  t.after(() => sampler.close());
  for (const [as, seen] of [[anna, ['read']] as const, [root, ['foreign', 'read']] as const]) {
    const stream = await followChanges(two, as);
    assert.equal((await stream.next())?.event, 'ready');
    let sample = await stream.next();
    while (sample?.event === 'change') sample = await stream.next();
    assert.equal(sample?.event, 'sample');
    assert.ok(Number.isNaN(sample.id), 'without a number: the client’s last one stays');
    assert.deepEqual(sample.data.queues.map(({ name }: { name: string }) => name).sort(), seen);
    await stream.close();
  }
});
