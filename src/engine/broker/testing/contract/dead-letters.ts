import assert from 'node:assert/strict';
import { eventually } from '../../../testing/eventually.ts';
import type { Broker, DeadLetterFilter, Page } from '../../broker.ts';
import { ownerHeader } from '../../owner-header.ts';
import { type Claim, drain, idsOf, numbered, publishAll, type Scene, takeOne } from './scene.ts';

async function bury(broker: Broker, ids: readonly string[]): Promise<void> {
  await broker.declare('letters');
  await publishAll(broker, 'letters', ids);
  for (const _ of ids) await takeOne(broker, 'letters', (delivery) => delivery.deadLetter('no such address'));
}

/** Four without an address, three of them before the time that it resolves to; one too wide, and one of no owner. */
async function buryUnlike({ broker, setup }: Scene): Promise<number> {
  await broker.declare('letters');
  const letters = [
    { id: 'm0', owner: 'anna', reason: 'no such address' },
    { id: 'm1', owner: 'bert', reason: 'no such address' },
    { id: 'm2', owner: 'anna', reason: 'No such Address' },
    { id: 'high3', owner: 'bert', reason: 'no such address' },
    { id: 'm4', owner: 'bert', reason: 'too wide', text: 'to Príbram' },
    { id: 'm5', owner: undefined, reason: 'too wide' },
  ];
  let middle = 0;
  for (const { id, owner, reason, text = 'x' } of letters) {
    if (id === 'high3') {
      await setup.pass(10);
      middle = setup.now();
      await setup.pass(10);
    }
    const lane = id.startsWith('high') ? 'high' : 'normal';
    const headers = owner === undefined ? {} : { [ownerHeader]: owner };
    await broker.publish('letters', { id, lane, body: Buffer.from(text), headers });
    await takeOne(broker, 'letters', (delivery) => delivery.deadLetter(reason));
  }
  return middle;
}

async function buryMany(broker: Broker, ids: readonly string[]): Promise<void> {
  await broker.declare('letters');
  await Promise.all(ids.map((id) => broker.publish('letters', { id, body: new Uint8Array(10) })));
  const all = Promise.withResolvers<void>();
  let buried = 0;
  const consumer = await broker.consume('letters', { concurrency: 20 }, async (delivery) => {
    await delivery.deadLetter('no such address');
    if (++buried === ids.length) all.resolve();
  });
  await all.promise;
  await consumer.close();
}

/** A server may deliver some twice after a kill. */
async function drainedIds(broker: Broker): Promise<Set<string>> {
  const { ready } = await broker.status('letters');
  return new Set(idsOf(await drain(broker, 'letters', ready.high + ready.normal, 20)));
}

export function deadLetterClaims(claim: Claim): void {
  claim('a dead letter keeps its content, its reason and its history, across restarts', async (scene) => {
    const { broker } = scene;
    await broker.declare('letters');
    await publishAll(broker, 'letters', ['high one']);
    await takeOne(broker, 'letters', (delivery) => delivery.retry({ delayMs: 0, reason: 'nobody home' }));
    await takeOne(broker, 'letters', (delivery) => delivery.deadLetter('no such address'));
    const reopened = await scene.restart();
    const [letter] = await reopened.dead('letters');
    assert.deepEqual(
      [letter?.id, letter?.state, letter?.attempt, letter?.lane],
      ['high one', 'dead', 2, 'high'],
    );
    assert.deepEqual(
      letter?.history.map(({ attempt, reason }) => [attempt, reason]),
      [
        [1, 'nobody home'],
        [2, 'no such address'],
      ],
    );
    assert.equal(Buffer.from(letter?.body ?? []).toString(), 'high one');
    const status = await reopened.status('letters');
    assert.deepEqual([status.dead, status.ready.high, status.inFlight], [1, 0, 0]);
  });

  claim('dead letters are listed page by page, oldest first', async ({ broker }) => {
    await bury(broker, numbered('m', 5));
    assert.deepEqual(idsOf(await broker.dead('letters')), numbered('m', 5));
    assert.deepEqual(idsOf(await broker.dead('letters', { offset: 1, limit: 2 })), ['m1', 'm2']);
    assert.deepEqual(await broker.dead('letters', { offset: 5 }), []);
  });

  claim('a redriven dead letter starts with zero attempts and keeps its history', async ({ broker }) => {
    await bury(broker, numbered('m', 3));
    assert.equal(await broker.redrive('letters', ['m1', 'unknown']), 1);
    const delivery = await takeOne(broker, 'letters');
    assert.deepEqual([delivery.id, delivery.attempt], ['m1', 1]);
    assert.equal(delivery.history[0]?.reason, 'no such address');
    assert.deepEqual(idsOf(await broker.dead('letters')), ['m0', 'm2']);
  });

  claim('all dead letters can be redriven at once, even after a restart', async (scene) => {
    await bury(scene.broker, ['m0', 'high0', 'm1']);
    const broker = await scene.restart();
    assert.equal(await broker.redrive('letters'), 3);
    assert.equal((await broker.status('letters')).dead, 0);
    assert.deepEqual(idsOf(await drain(broker, 'letters', 3)), ['high0', 'm0', 'm1']);
    assert.equal(await broker.redrive('letters'), 0);
  });

  claim('redriven letters wake an idle consumer', async ({ broker }) => {
    await bury(broker, numbered('m', 3));
    const draining = drain(broker, 'letters', 3);
    await broker.redrive('letters');
    assert.deepEqual(idsOf(await draining), numbered('m', 3));
  });

  claim('dead letters can be discarded, some or all', async (scene) => {
    await bury(scene.broker, numbered('m', 4));
    assert.equal(await scene.broker.discard('letters', ['m0', 'm3', 'unknown']), 2);
    const broker = await scene.restart();
    assert.deepEqual(idsOf(await broker.dead('letters')), ['m1', 'm2']);
    assert.equal(await broker.discard('letters'), 2);
    assert.equal((await broker.status('letters')).dead, 0);
  });

  claim(
    'dead letters are found by reason, owner, time and text, and counted beyond the page',
    async (scene) => {
      const { broker } = scene;
      const middle = await buryUnlike(scene);
      const found = async (filter: DeadLetterFilter, page?: Page) => {
        const { count, messages } = await broker.findDead('letters', filter, page);
        return [count, ...idsOf(messages)];
      };
      assert.deepEqual(await found({ reason: 'ADDRESS' }), [4, 'm0', 'm1', 'm2', 'high3']);
      assert.deepEqual(await found({ reason: 'address' }, { offset: 1, limit: 2 }), [4, 'm1', 'm2']);
      assert.deepEqual(await found({ reason: 'address' }, { limit: 0 }), [4]);
      assert.deepEqual(await found({ reason: 'address', owner: 'anna' }), [2, 'm0', 'm2']);
      assert.deepEqual(await found({ owner: '' }), [1, 'm5']);
      assert.deepEqual(await found({ before: middle }), [3, 'm0', 'm1', 'm2']);
      assert.deepEqual(await found({ since: middle }), [3, 'high3', 'm4', 'm5']);
      assert.deepEqual(await found({ text: 'Príbram' }), [1, 'm4']);
      assert.deepEqual(await found({ text: 'M4' }), [1, 'm4'], 'of the id');
      assert.deepEqual(await found({ text: '%' }), [0]);
      assert.equal((await broker.status('letters')).dead, 6, 'all stay');
    },
  );

  claim('exactly the dead letters that were counted are redriven or discarded', async (scene) => {
    const { broker } = scene;
    await buryUnlike(scene);
    await scene.setup.pass(10);
    const counted = { reason: 'address', owner: 'anna', before: scene.setup.now() };
    assert.equal((await broker.findDead('letters', counted)).count, 2);
    await scene.setup.pass(10);
    // Dies after the count, for the same reason.
    await broker.publish('letters', {
      id: 'late',
      body: Buffer.from('x'),
      headers: { [ownerHeader]: 'anna' },
    });
    await takeOne(broker, 'letters', (delivery) => delivery.deadLetter('no such address'));
    assert.equal(await broker.redrive('letters', counted), 2);
    assert.equal(await broker.redrive('letters', counted), 0, 'it can be repeated');
    assert.deepEqual(idsOf(await drain(broker, 'letters', 2)), ['m0', 'm2']);
    assert.equal(await broker.discard('letters', { owner: 'bert' }), 3);
    const left = idsOf(await (await scene.restart()).dead('letters'));
    assert.deepEqual(left, ['m5', 'late']);
  });

  claim('a redrive that is stopped half-way is completed by the same call', async ({ broker }) => {
    const ids = numbered('m', 2500);
    await buryMany(broker, ids);
    const stop = new AbortController();
    const redriving = broker.redrive('letters', { reason: 'address' }, { signal: stop.signal });
    stop.abort(new Error('the caller left'));
    await redriving.catch((error: Error) => assert.equal(error.message, 'the caller left'));
    // RabbitMQ puts letters that the stopped call held back a moment later.
    await eventually('the rest follows', async () => {
      await broker.redrive('letters', { reason: 'address' });
      return (await broker.status('letters')).dead === 0;
    });
    assert.deepEqual(await drainedIds(broker), new Set(ids));
  });

  claim(
    'kill -9 in the middle of a redrive loses no letter, and the same call does the rest',
    async (scene) => {
      const ids = numbered('m', 2500);
      await buryMany(scene.broker, ids);
      await scene.stop();
      const child = scene.spawn('redrive', 'letters', 'address');
      await child.said(1);
      await child.kill();
      const broker = await scene.start();
      await broker.redrive('letters', { reason: 'address' });
      assert.equal((await broker.status('letters')).dead, 0);
      assert.deepEqual(await drainedIds(broker), new Set(ids));
    },
  );

  claim('large dead letters are searched, too', async ({ broker }) => {
    await broker.declare('letters');
    for (const id of ['m0', 'm1', 'm2']) {
      const body = Buffer.alloc(5 * 1024 * 1024, id === 'm1' ? 'y' : 'x');
      await broker.publish('letters', { id, body: Buffer.concat([body, Buffer.from(`end of ${id}`)]) });
      await takeOne(broker, 'letters', (delivery) => delivery.deadLetter('too large'));
    }
    const { count, messages } = await broker.findDead('letters', { text: 'yend of m1' }, { limit: 1 });
    assert.deepEqual([count, ...idsOf(messages)], [1, 'm1']);
    assert.equal(await broker.discard('letters', { text: 'xend' }), 2);
  });

  claim('each queue has its own dead letters', async ({ broker }) => {
    await bury(broker, ['m0']);
    await broker.declare('parcels');
    assert.deepEqual(await broker.dead('parcels'), []);
    assert.equal(await broker.redrive('parcels'), 0);
    assert.equal(await broker.discard('parcels', ['m0']), 0);
    assert.equal((await broker.dead('letters')).length, 1);
  });
}
