import assert from 'node:assert/strict';
import { hasCode } from '../../../ground/errors.ts';
import { eventually } from '../../../testing/eventually.ts';
import type { Delivery } from '../../broker.ts';
import { bytes, type Claim, drain, idsOf, numbered, publishAll, takeOne } from './scene.ts';

export function deliveryClaims(claim: Claim): void {
  claim('messages of a lane are delivered in the order they were published', async ({ broker }) => {
    await broker.declare('letters');
    const ids = numbered('m', 500);
    await Promise.all(ids.map((id) => broker.publish('letters', { id, body: bytes(id) })));
    assert.deepEqual(idsOf(await drain(broker, 'letters', 500)), ids);
  });

  claim('all high messages are delivered before any normal one', async ({ broker }) => {
    await broker.declare('letters');
    const [normal, high] = [numbered('m', 40), numbered('high', 40)];
    await publishAll(broker, 'letters', [...normal, ...high]);
    // All are read ahead: a server that is slower than the handlers may have a high one still on its way.
    const delivered = await drain(broker, 'letters', 80, 1, { prefetch: 40 });
    assert.deepEqual(idsOf(delivered), [...high, ...normal]);
  });

  claim('a high message overtakes prefetched normal ones', async ({ broker }) => {
    await broker.declare('letters');
    await publishAll(broker, 'letters', numbered('m', 20));
    const started: string[] = [];
    const consumer = await broker.consume('letters', { concurrency: 1, prefetch: 10 }, async (delivery) => {
      started.push(delivery.id);
      if (delivery.id === 'm2') await publishAll(broker, 'letters', ['high']);
      await delivery.ack();
    });
    await eventually('all are started', () => started.length === 21);
    await consumer.close();
    assert.equal(started.indexOf('high'), 3);
  });

  claim('a message wakes an idle consumer', async ({ broker }) => {
    await broker.declare('letters');
    const started: string[] = [];
    const consumer = await broker.consume('letters', { concurrency: 1 }, async (delivery) => {
      started.push(delivery.id);
      await delivery.ack();
    });
    for (const [index, id] of numbered('m', 5).entries()) {
      await publishAll(broker, 'letters', [id]);
      await eventually('it is delivered', () => started.length === index + 1);
    }
    await consumer.close();
  });

  claim('a consumer runs as many handlers at once as its concurrency, and no more', async ({ broker }) => {
    await broker.declare('letters');
    await publishAll(broker, 'letters', numbered('m', 30));
    const running = new Set<Delivery>();
    let most = 0;
    let done = 0;
    const consumer = await broker.consume('letters', { concurrency: 7 }, async (delivery) => {
      running.add(delivery);
      most = Math.max(most, running.size);
      // With all seven running, none would free a slot, so the first handler to see seven releases them all.
      await eventually('seven run at once, or the rest', () => most === 7);
      running.delete(delivery);
      done++;
      void delivery.ack();
    });
    await eventually('all are done', () => done === 30);
    await consumer.close();
    assert.equal(most, 7);
  });

  claim('two consumers of a queue never get the same message', async ({ broker }) => {
    await broker.declare('letters');
    const ids = numbered('m', 400);
    const started: string[][] = [[], []];
    const consumers = await Promise.all(
      started.map((own) =>
        broker.consume('letters', { concurrency: 5, prefetch: 20 }, async (delivery) => {
          own.push(delivery.id);
          await delivery.ack();
        }),
      ),
    );
    await Promise.all(ids.map((id) => broker.publish('letters', { id, body: bytes(id) })));
    await eventually('all are started', () => started.flat().length >= 400);
    await Promise.all(consumers.map((consumer) => consumer.close()));
    assert.deepEqual(started.flat().sort(), [...ids].sort());
    assert.ok(
      started.every((own) => own.length > 0),
      'both have work',
    );
  });

  claim('a handler may run for hours: no other consumer gets its message', async ({ broker, setup }) => {
    await broker.declare('letters');
    await publishAll(broker, 'letters', ['long']);
    const started: string[] = [];
    const finish = Promise.withResolvers<void>();
    const consume = () =>
      broker.consume('letters', { concurrency: 2 }, async (delivery) => {
        started.push(delivery.id);
        if (delivery.id === 'long') await finish.promise;
        await delivery.ack();
      });
    const consumers = [await consume(), await consume()];
    await eventually('it is started', () => started.length === 1);
    await setup.pass(6 * 3_600_000);
    await publishAll(broker, 'letters', ['short']);
    await eventually('the other one is started', () => started.length >= 2);
    await eventually('the other one is done', async () => (await broker.status('letters')).inFlight === 1);
    finish.resolve();
    await Promise.all(consumers.map((consumer) => consumer.close()));
    assert.deepEqual(started, ['long', 'short']);
    await eventually('nothing is left', async () => (await broker.status('letters')).inFlight === 0);
  });

  claim(
    'closing a consumer waits for its handlers and gives back prefetched messages',
    async ({ broker }) => {
      await broker.declare('letters');
      await publishAll(broker, 'letters', numbered('m', 10));
      const finish = Promise.withResolvers<void>();
      const started: string[] = [];
      const consumer = await broker.consume('letters', { concurrency: 1, prefetch: 8 }, async (delivery) => {
        started.push(delivery.id);
        await finish.promise;
        await delivery.ack();
      });
      await eventually('the first is started', () => started.length === 1);
      let closed = false;
      const closing = consumer.close().then(() => {
        closed = true;
      });
      const others = await drain(broker, 'letters', 9);
      assert.deepEqual(idsOf(others), numbered('m', 10).slice(1));
      assert.ok(others.every((delivery) => delivery.attempt === 1));
      assert.equal(closed, false);
      finish.resolve();
      await closing;
      assert.deepEqual(started, ['m0']);
    },
  );

  claim('after a handler closes its own consumer, no more messages start', async ({ broker }) => {
    await broker.declare('letters');
    const started: string[] = [];
    const closed = Promise.withResolvers<void>();
    const consumer = await broker.consume('letters', { concurrency: 3 }, async (delivery) => {
      started.push(delivery.id);
      consumer.close().then(closed.resolve, closed.reject);
      await delivery.ack();
    });
    await Promise.all(numbered('m', 5).map((id) => broker.publish('letters', { id, body: bytes(id) })));
    await closed.promise;
    assert.deepEqual(started, ['m0']);
    assert.deepEqual(idsOf(await drain(broker, 'letters', 4)).sort(), ['m1', 'm2', 'm3', 'm4']);
  });

  claim('while the broker closes, running handlers may still publish and ack', async (scene) => {
    await scene.broker.declare('letters');
    await scene.broker.declare('answers');
    await publishAll(scene.broker, 'letters', ['one', 'two']);
    const finish = Promise.withResolvers<void>();
    const { broker } = scene;
    let started = 0;
    await broker.consume('letters', { concurrency: 1 }, async (delivery) => {
      started++;
      await finish.promise;
      await publishAll(broker, 'answers', [`answer to ${delivery.id}`]);
      void delivery.ack();
    });
    await eventually('it runs', () => started === 1);
    const restarting = scene.restart();
    finish.resolve();
    const reopened = await restarting;
    assert.equal((await takeOne(reopened, 'answers')).id, 'answer to one');
    assert.equal((await takeOne(reopened, 'letters')).id, 'two');
    assert.equal(started, 1);
    await assert.rejects(publishAll(broker, 'letters', ['late']), (error) => hasCode(error, 'unavailable'));
  });

  claim('consuming an undeclared queue fails with queue-unknown', async ({ broker }) => {
    const consuming = broker.consume('nowhere', { concurrency: 1 }, async () => {});
    await assert.rejects(consuming, (error) => hasCode(error, 'queue-unknown'));
  });
}
