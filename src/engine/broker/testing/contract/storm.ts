import assert from 'node:assert/strict';
import { eventually } from '../../../testing/eventually.ts';
import type { Delivery } from '../../broker.ts';
import { bytes, type Claim, numbered } from './scene.ts';

export function stormClaims(claim: Claim): void {
  claim('under concurrent load, each message is acked once and none is lost', async (scene) => {
    const { broker, setup } = scene;
    await broker.declare('letters');
    const acked: string[] = [];
    const handle = async (delivery: Delivery) => {
      // The fate of a message depends only on its number and attempt, so a failure is reproducible.
      const fate = (Number(delivery.id.slice(1)) + delivery.attempt * 3) % 10;
      if (delivery.attempt < 4 && fate === 0) throw new Error('thrown');
      if (delivery.attempt < 4 && fate === 1) return delivery.retry({ delayMs: 20, reason: 'later' });
      if (delivery.attempt < 4 && fate === 2) return delivery.retry({ delayMs: 0, reason: 'again' });
      if (delivery.history.length === 0 && fate === 3) return delivery.deadLetter('broken');
      acked.push(delivery.id);
      void delivery.ack();
    };
    const [first, ...others] = await Promise.all(
      [3, 5, 50].map((prefetch) => broker.consume('letters', { concurrency: 3, prefetch }, handle)),
    );
    const ids = numbered('m', 1500);
    const publishing = ids.map((id, index) =>
      broker.publish('letters', { id, body: bytes(id), lane: index % 4 === 0 ? 'high' : 'normal' }),
    );
    await eventually('some are done', () => acked.length > 300);
    // The other consumers take what this one gives up.
    await first?.close();
    await broker.pause('letters');
    await broker.resume('letters');
    await Promise.all(publishing);
    await eventually('all are done', async () => {
      await setup.pass(500);
      await broker.redrive('letters');
      return acked.length >= ids.length;
    });
    await Promise.all(others.map((consumer) => consumer.close()));
    assert.deepEqual(acked.sort(), [...ids].sort());
    await eventually('the last ack is written', async () => (await broker.status('letters')).inFlight === 0);
    const { ready, delayed, dead } = await broker.status('letters');
    assert.deepEqual({ ready, delayed, dead }, { ready: { high: 0, normal: 0 }, delayed: 0, dead: 0 });
  });
}
