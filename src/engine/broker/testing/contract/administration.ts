import assert from 'node:assert/strict';
import { hasCode } from '../../../ground/errors.ts';
import { eventually } from '../../../testing/eventually.ts';
import { bytes, type Claim, drain, idsOf, numbered, publishAll, takeOne } from './scene.ts';

export function administrationClaims(claim: Claim): void {
  claim('the status counts ready per lane, delayed, in flight and dead', async ({ broker, setup }) => {
    await broker.declare('letters', { maxLength: 100 });
    const empty = await broker.status('letters');
    assert.deepEqual(empty, {
      name: 'letters',
      ready: { high: 0, normal: 0 },
      delayed: 0,
      inFlight: 0,
      dead: 0,
      oldestAt: null,
      paused: false,
      maxLength: 100,
    });
    await publishAll(broker, 'letters', numbered('m', 5));
    await takeOne(broker, 'letters', (delivery) => delivery.deadLetter('broken'));
    await takeOne(broker, 'letters', (delivery) => delivery.retry({ delayMs: 60_000, reason: 'later' }));
    await publishAll(broker, 'letters', numbered('high', 2));
    await takeOne(broker, 'letters', async (delivery) => {
      const { dead, delayed, inFlight, ready } = await broker.status('letters');
      assert.deepEqual([dead, delayed, inFlight + ready.high + ready.normal], [1, 1, 5]);
      assert.ok(inFlight >= 1);
      await delivery.ack();
    });
    const after = await broker.status('letters');
    assert.deepEqual([after.ready.high, after.ready.normal, after.inFlight], [1, 3, 0]);
    assert.ok(after.oldestAt !== null && after.oldestAt <= setup.now());
  });

  claim('a queue may be named for its owner', async ({ broker }) => {
    const queue = 'anna@example.org/results.v1';
    await broker.declare(queue);
    await publishAll(broker, queue, ['one', 'high two', 'three']);
    assert.deepEqual(idsOf(await broker.peek(queue)), ['high two', 'one', 'three']);
    await takeOne(broker, queue, (delivery) => delivery.deadLetter('broken'));
    assert.equal(await broker.redrive(queue), 1);
    assert.ok((await broker.status()).some(({ name }) => name === queue));
    await takeOne(broker, queue, (delivery) => delivery.ack());
    await broker.remove(queue);
    await assert.rejects(broker.status(queue), (error) => hasCode(error, 'queue-unknown'));
  });

  claim('the status says when the oldest ready message was published', async ({ broker, setup }) => {
    await broker.declare('letters');
    await publishAll(broker, 'letters', ['one']);
    await setup.pass(100);
    await publishAll(broker, 'letters', ['two', 'high three']);
    const [, one, two] = await broker.peek('letters');
    assert.equal((await broker.status('letters')).oldestAt, one?.publishedAt);
    await drain(broker, 'letters', 2);
    assert.equal((await broker.status('letters')).oldestAt, two?.publishedAt);
  });

  claim('all queues are listed by name, and an unknown one is queue-unknown', async ({ broker }) => {
    for (const name of ['b', 'a', 'c']) await broker.declare(name);
    const names = (await broker.status()).map((status) => status.name);
    assert.deepEqual(names, ['a', 'b', 'c']);
    for (const ask of [
      () => broker.status('x'),
      () => broker.peek('x'),
      () => broker.purge('x'),
      () => broker.pause('x'),
      () => broker.dead('x'),
    ]) {
      await assert.rejects(ask, (error) => hasCode(error, 'queue-unknown'));
    }
  });

  claim(
    'a paused queue accepts messages and starts none until it is resumed, even across restarts',
    async (scene) => {
      await scene.broker.declare('letters');
      await scene.broker.pause('letters');
      await publishAll(scene.broker, 'letters', ['one']);
      const broker = await scene.restart();
      assert.equal((await broker.status('letters')).paused, true);
      const started: string[] = [];
      await broker.declare('others');
      const consumer = await broker.consume('letters', { concurrency: 1 }, async (delivery) => {
        started.push(delivery.id);
        await delivery.ack();
      });
      await publishAll(broker, 'letters', ['two']);
      await publishAll(broker, 'others', ['three']);
      await drain(broker, 'others', 1);
      assert.deepEqual(started, []);
      await broker.resume('letters');
      await eventually('both are started', () => started.length === 2);
      await consumer.close();
      assert.equal((await broker.status('letters')).paused, false);
    },
  );

  claim('pausing lets running handlers finish', async ({ broker }) => {
    await broker.declare('letters');
    await publishAll(broker, 'letters', ['one', 'two']);
    await takeOne(broker, 'letters', async (delivery) => {
      await broker.pause('letters');
      await delivery.ack();
    });
    assert.deepEqual(idsOf(await broker.peek('letters')), ['two']);
  });

  claim('peek shows waiting messages page by page, in delivery order, and takes none', async (scene) => {
    const { broker, setup } = scene;
    await broker.declare('letters');
    await publishAll(broker, 'letters', ['late', 'm0', 'm1', 'running']);
    await takeOne(broker, 'letters', (delivery) => delivery.retry({ delayMs: 5000, reason: 'later' }));
    await publishAll(broker, 'letters', ['high0', 'high1']);
    const order = ['high0', 'high1', 'm0', 'm1', 'running', 'late'];
    for (const _ of [1, 2]) assert.deepEqual(idsOf(await broker.peek('letters')), order);
    for (let offset = 0; offset < 8; offset++) {
      const page = await broker.peek('letters', { offset, limit: 2 });
      assert.deepEqual(idsOf(page), order.slice(offset, offset + 2));
    }
    const messages = await broker.peek('letters');
    assert.deepEqual(messages[0]?.body, bytes('high0'));
    assert.deepEqual([messages[0]?.state, messages[0]?.attempt, messages[0]?.readyAt], ['ready', 0, null]);
    const late = messages.at(-1);
    assert.deepEqual([late?.state, late?.attempt, late?.history[0]?.reason], ['delayed', 1, 'later']);
    assert.ok(Math.abs((late?.readyAt ?? 0) - setup.now() - 5000) < 5000);
    assert.deepEqual(idsOf(await drain(broker, 'letters', 5)), order.slice(0, 5));
  });

  claim('whichExist, where an adapter has it, finds messages in every state', async ({ broker }) => {
    if (broker.whichExist === undefined) return;
    for (const name of ['letters', 'others']) await broker.declare(name);
    await publishAll(broker, 'letters', ['dead/3', 'delayed/2', 'running/1', 'ready/12']);
    await publishAll(broker, 'others', ['ready/11', 'elsewhere']);
    await takeOne(broker, 'letters', (delivery) => delivery.deadLetter('broken'));
    await takeOne(broker, 'letters', (delivery) => delivery.retry({ delayMs: 60_000, reason: 'later' }));
    const names = ['dead', 'delayed', 'running', 'ready', 'elsewhere'];
    const gone = ['gone', 'read', 'ready/12', '', '%'];
    const find = async () => (await broker.whichExist?.([...names, ...gone]))?.toSorted();
    await takeOne(broker, 'letters', async (delivery) => {
      assert.equal(delivery.id, 'running/1');
      assert.deepEqual(await find(), names.toSorted());
      await delivery.ack();
    });
    assert.equal(await broker.purge('letters'), 2);
    assert.equal(await broker.discard('letters'), 1);
    assert.deepEqual(await find(), ['elsewhere', 'ready']);
    assert.deepEqual(await broker.whichExist([]), []);
  });

  claim(
    'purging deletes waiting messages, but neither those being processed nor dead letters',
    async (scene) => {
      const { broker } = scene;
      await broker.declare('letters');
      await publishAll(broker, 'letters', ['dead', 'delayed', 'running', 'high0', ...numbered('m', 3)]);
      await takeOne(broker, 'letters');
      await takeOne(broker, 'letters', (delivery) => delivery.deadLetter('broken'));
      await takeOne(broker, 'letters', (delivery) => delivery.retry({ delayMs: 60_000, reason: 'later' }));
      await takeOne(broker, 'letters', async (delivery) => {
        assert.equal(delivery.id, 'running');
        assert.equal(await broker.purge('letters'), 4);
        await delivery.retry({ delayMs: 0, reason: 'I am still here' });
      });
      const reopened = await scene.restart();
      assert.deepEqual(idsOf(await reopened.peek('letters')), ['running']);
      assert.deepEqual(idsOf(await reopened.dead('letters')), ['dead']);
      assert.equal(await reopened.purge('letters'), 1);
    },
  );

  claim('a message published after a purge is delivered', async ({ broker }) => {
    await broker.declare('letters');
    const started: string[] = [];
    const consumer = await broker.consume('letters', { concurrency: 1, prefetch: 5 }, async (delivery) => {
      started.push(delivery.id);
      if (delivery.id === 'm0') await broker.purge('letters');
      await delivery.ack();
    });
    await Promise.all(numbered('m', 100).map((id) => broker.publish('letters', { id, body: bytes(id) })));
    await eventually('all are gone', async () => {
      const { ready, inFlight } = await broker.status('letters');
      return ready.normal === 0 && inFlight === 0;
    });
    await publishAll(broker, 'letters', ['after']);
    await eventually('it is delivered', () => started.at(-1) === 'after');
    await consumer.close();
  });

  claim('removing a queue removes its messages and frees its name', async (scene) => {
    await scene.broker.declare('letters');
    await publishAll(scene.broker, 'letters', numbered('m', 3));
    await takeOne(scene.broker, 'letters', (delivery) => delivery.deadLetter('broken'));
    await scene.broker.pause('letters');
    await scene.broker.remove('letters');
    const unknown = scene.broker.publish('letters', { id: 'late', body: bytes('') });
    await assert.rejects(unknown, (error) => hasCode(error, 'queue-unknown'));
    await scene.broker.declare('letters');
    await publishAll(scene.broker, 'letters', ['new']);
    const broker = await scene.restart();
    const status = await broker.status('letters');
    assert.deepEqual([status.ready.normal, status.dead, status.paused], [1, 0, false]);
    assert.deepEqual(idsOf(await drain(broker, 'letters', 1)), ['new']);
  });

  claim('a queue can be removed while a message of it is being processed', async ({ broker }) => {
    await broker.declare('letters');
    await publishAll(broker, 'letters', ['one', 'two']);
    await takeOne(broker, 'letters', async (delivery) => {
      await broker.remove('letters');
      await delivery.ack();
    });
    assert.deepEqual(await broker.status(), []);
  });
}
