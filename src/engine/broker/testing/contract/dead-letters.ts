import assert from 'node:assert/strict';
import type { Broker } from '../../broker.ts';
import { type Claim, drain, idsOf, numbered, publishAll, takeOne } from './scene.ts';

async function bury(broker: Broker, ids: readonly string[]): Promise<void> {
  await broker.declare('letters');
  await publishAll(broker, 'letters', ids);
  for (const _ of ids) await takeOne(broker, 'letters', (delivery) => delivery.deadLetter('no such address'));
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

  claim('each queue has its own dead letters', async ({ broker }) => {
    await bury(broker, ['m0']);
    await broker.declare('parcels');
    assert.deepEqual(await broker.dead('parcels'), []);
    assert.equal(await broker.redrive('parcels'), 0);
    assert.equal(await broker.discard('parcels', ['m0']), 0);
    assert.equal((await broker.dead('letters')).length, 1);
  });
}
