import assert from 'node:assert/strict';
import { hasCode } from '../../../ground/errors.ts';
import { eventually } from '../../../testing/eventually.ts';
import { type Claim, idsOf, numbered, publishAll, takeOne } from './scene.ts';

export function retryClaims(claim: Claim): void {
  claim('a retried message is delivered again after its delay, not before', async ({ broker, setup }) => {
    await broker.declare('letters');
    await publishAll(broker, 'letters', ['one', 'two']);
    await takeOne(broker, 'letters', (delivery) => delivery.retry({ delayMs: 1000, reason: 'busy' }));
    const status = await broker.status('letters');
    assert.deepEqual([status.delayed, status.ready.normal], [1, 1]);
    assert.equal((await takeOne(broker, 'letters')).id, 'two');
    assert.equal((await broker.status('letters')).delayed, 1);
    await setup.pass(1000);
    const again = await takeOne(broker, 'letters');
    assert.deepEqual([again.id, again.attempt], ['one', 2]);
  });

  claim('a delayed message wakes an idle consumer', async ({ broker, setup }) => {
    await broker.declare('letters');
    await publishAll(broker, 'letters', ['one']);
    const attempts: number[] = [];
    const consumer = await broker.consume('letters', { concurrency: 1 }, async (delivery) => {
      attempts.push(delivery.attempt);
      if (delivery.attempt < 4) await delivery.retry({ delayMs: 100 * delivery.attempt, reason: 'not yet' });
      else await delivery.ack();
    });
    for (const tries of [1, 2, 3]) {
      const waits = async () => attempts.length === tries && (await broker.status('letters')).delayed === 1;
      await eventually(`it was tried ${tries} times and waits`, waits);
      await setup.pass(100 * tries);
    }
    await eventually('it came for the fourth time', () => attempts.length === 4);
    await consumer.close();
    assert.deepEqual(attempts, [1, 2, 3, 4]);
  });

  claim('a delay survives a restart', async (scene) => {
    await scene.broker.declare('letters');
    await publishAll(scene.broker, 'letters', ['one']);
    await takeOne(scene.broker, 'letters', (delivery) => delivery.retry({ delayMs: 1000, reason: 'busy' }));
    const broker = await scene.restart();
    assert.equal((await broker.status('letters')).delayed, 1);
    await scene.setup.pass(1000);
    assert.equal((await takeOne(broker, 'letters')).attempt, 2);
  });

  claim('attempts and failure reasons survive restarts', async (scene) => {
    await scene.broker.declare('letters');
    await publishAll(scene.broker, 'letters', ['one']);
    const began = scene.setup.now();
    for (const reason of ['no ink', 'no paper']) {
      await takeOne(scene.broker, 'letters', (delivery) => delivery.retry({ delayMs: 0, reason }));
      await scene.restart();
    }
    const delivery = await takeOne(scene.broker, 'letters');
    assert.equal(delivery.attempt, 3);
    assert.deepEqual(
      delivery.history.map(({ attempt, reason }) => ({ attempt, reason })),
      [
        { attempt: 1, reason: 'no ink' },
        { attempt: 2, reason: 'no paper' },
      ],
    );
    assert.ok(delivery.history.every(({ at }) => at >= began && at <= scene.setup.now()));
  });

  claim(
    'a released message is delivered again at once, and its attempt is not charged',
    async ({ broker }) => {
      await broker.declare('letters');
      await publishAll(broker, 'letters', ['one']);
      for (let times = 0; times < 3; times++) {
        const delivery = await takeOne(broker, 'letters', (taken) => taken.release());
        assert.deepEqual([delivery.id, delivery.history.length], ['one', 0]);
      }
      assert.equal((await takeOne(broker, 'letters')).attempt, 1);
    },
  );

  claim('releasing a message long after its start charges no attempt either', async (scene) => {
    await scene.broker.declare('letters');
    await scene.broker.declare('marks');
    await publishAll(scene.broker, 'letters', ['one']);
    await takeOne(scene.broker, 'letters', async (delivery) => {
      await publishAll(scene.broker, 'marks', ['durable, so the charge is too']);
      await delivery.release();
    });
    const broker = await scene.restart();
    assert.equal((await takeOne(broker, 'letters')).attempt, 1);
  });

  claim('a message that comes back returns to its place', async ({ broker, setup }) => {
    await broker.declare('letters');
    await publishAll(broker, 'letters', numbered('m', 5));
    await takeOne(broker, 'letters', (delivery) => delivery.retry({ delayMs: 500, reason: 'later' }));
    await takeOne(broker, 'letters', (delivery) => delivery.release());
    await takeOne(broker, 'letters', (delivery) => delivery.retry({ delayMs: 0, reason: 'again' }));
    await setup.pass(500);
    await eventually('the first is ready', async () => (await broker.status('letters')).delayed === 0);
    const order: string[] = [];
    while (order.length < 5) order.push((await takeOne(broker, 'letters')).id);
    assert.deepEqual(setup.keepsPlaces ? order : order.sort(), numbered('m', 5));
  });

  claim(
    'when a handler throws, its message is retried after a second, with the error as the reason',
    async (scene) => {
      const { broker, setup } = scene;
      await broker.declare('letters');
      await publishAll(broker, 'letters', ['one']);
      let times = 0;
      const consumer = await broker.consume('letters', { concurrency: 1 }, async () => {
        times++;
        throw new Error('the pen is broken');
      });
      await eventually('it waits', async () => (await broker.status('letters')).delayed === 1);
      await consumer.close();
      assert.equal(times, 1);
      await setup.pass(1000);
      const delivery = await takeOne(broker, 'letters');
      assert.equal(delivery.attempt, 2);
      assert.equal(delivery.history[0]?.reason, 'the pen is broken');
    },
  );

  claim('a handler that returns without settling releases its message', async ({ broker }) => {
    await broker.declare('letters');
    await publishAll(broker, 'letters', ['one']);
    await takeOne(broker, 'letters', async () => {});
    await eventually('it is ready', async () => (await broker.status('letters')).ready.normal === 1);
    assert.equal((await takeOne(broker, 'letters')).attempt, 1);
  });

  claim(
    'the first settlement counts: repeating it is harmless, a different one is a conflict',
    async ({ broker }) => {
      await broker.declare('letters');
      await publishAll(broker, 'letters', ['one', 'two']);
      const delivery = await takeOne(broker, 'letters', async (taken) => {
        void taken.ack();
        await taken.ack();
      });
      await assert.rejects(delivery.release(), (error) => hasCode(error, 'conflict'));
      const late = delivery.deadLetter('too late');
      await assert.rejects(late, (error) => hasCode(error, 'conflict'));
      assert.deepEqual(idsOf(await broker.peek('letters')), ['two']);
    },
  );

  claim('an ack that is not awaited is durable once the broker is closed', async (scene) => {
    await scene.broker.declare('letters');
    await publishAll(scene.broker, 'letters', ['one', 'two']);
    await takeOne(scene.broker, 'letters', async (delivery) => void delivery.ack());
    const broker = await scene.restart();
    assert.deepEqual(idsOf(await broker.peek('letters')), ['two']);
  });
}
