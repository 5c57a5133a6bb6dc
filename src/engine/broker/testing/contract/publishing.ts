import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { hasCode } from '../../../ground/errors.ts';
import { bytes, type Claim, drain, idsOf, numbered, publishAll, takeOne, text } from './scene.ts';

export function publishingClaims(claim: Claim): void {
  claim('a message arrives unchanged, with its headers, lane and time', async ({ broker, setup }) => {
    await broker.declare('letters');
    const body = randomBytes(1000);
    const headers = { 'content-type': 'text/plain', name: 'Žluťoučký kůň', empty: '' };
    const before = setup.now();
    await broker.publish('letters', { id: 'one', body, lane: 'high', headers });
    const delivery = await takeOne(broker, 'letters');
    assert.equal(delivery.id, 'one');
    assert.equal(delivery.queue, 'letters');
    assert.equal(delivery.lane, 'high');
    assert.equal(delivery.attempt, 1);
    assert.deepEqual(delivery.history, []);
    assert.deepEqual({ ...delivery.headers }, headers);
    assert.deepEqual(Buffer.from(delivery.body), body);
    assert.ok(delivery.publishedAt >= before && delivery.publishedAt <= setup.now());
  });

  claim('a confirmed message survives a restart', async (scene) => {
    await scene.broker.declare('letters');
    await publishAll(scene.broker, 'letters', ['one', 'high two']);
    const broker = await scene.restart();
    const found = await drain(broker, 'letters', 2);
    assert.deepEqual(idsOf(found), ['high two', 'one']);
    assert.deepEqual(
      found.map((delivery) => text(delivery.body)),
      ['high two', 'one'],
    );
  });

  claim('publishing to an undeclared queue fails with queue-unknown', async ({ broker }) => {
    const sending = broker.publish('nowhere', { id: 'one', body: bytes('lost?') });
    await assert.rejects(
      sending,
      (error) => hasCode(error, 'queue-unknown') && /nowhere/.test(error.message),
    );
  });

  claim('a body may have 0 bytes, 1 MB or exactly the limit, but not one byte more', async (scene) => {
    const limit = 2 * 1024 * 1024;
    const broker = await scene.restart({ maxMessageBytes: limit });
    await broker.declare('letters');
    const bodies = [0, 1_000_000, limit].map((size) => randomBytes(size));
    for (const [index, body] of bodies.entries()) await broker.publish('letters', { id: `${index}`, body });
    const tooLarge = broker.publish('letters', { id: 'large', body: new Uint8Array(limit + 1) });
    await assert.rejects(tooLarge, (error) => hasCode(error, 'message-too-large'));
    const found = await drain(broker, 'letters', 3);
    assert.ok(
      found.every((delivery, index) => Buffer.compare(delivery.body, bodies[index] ?? bytes('')) === 0),
    );
  });

  claim('the sender may reuse its buffer as soon as it has called publish', async ({ broker }) => {
    await broker.declare('letters');
    const buffer = bytes('before');
    const sending = broker.publish('letters', { id: 'one', body: buffer });
    buffer.fill(0);
    await sending;
    assert.equal(text((await takeOne(broker, 'letters')).body), 'before');
  });

  claim(
    'a bounded queue refuses messages with queue-full and accepts them again when it has room',
    async (scene) => {
      await scene.broker.declare('letters', { maxLength: 3 });
      const broker = await scene.restart();
      await publishAll(broker, 'letters', numbered('m', 3));
      const fourth = () => broker.publish('letters', { id: 'm3', body: bytes('') });
      await assert.rejects(fourth(), (error) => hasCode(error, 'queue-full'));
      await takeOne(broker, 'letters');
      await fourth();
      await assert.rejects(fourth(), (error) => hasCode(error, 'queue-full'));
      assert.deepEqual(idsOf(await drain(broker, 'letters', 3)), ['m1', 'm2', 'm3']);
    },
  );

  claim('the limit holds for many publishers at once', async ({ broker }) => {
    await broker.declare('letters', { maxLength: 10 });
    const sending = numbered('m', 50).map((id) => broker.publish('letters', { id, body: bytes(id) }));
    const results = await Promise.allSettled(sending);
    assert.equal(results.filter((result) => result.status === 'fulfilled').length, 10);
    assert.equal((await broker.status('letters')).ready.normal, 10);
  });

  claim(
    'declaring a queue again changes only the given options and keeps the messages',
    async ({ broker }) => {
      await broker.declare('letters', { maxLength: 1 });
      await publishAll(broker, 'letters', ['one']);
      await broker.declare('letters');
      assert.equal((await broker.status('letters')).maxLength, 1);
      await broker.declare('letters', { maxLength: null });
      await publishAll(broker, 'letters', ['two']);
      assert.deepEqual(idsOf(await drain(broker, 'letters', 2)), ['one', 'two']);
    },
  );
}
