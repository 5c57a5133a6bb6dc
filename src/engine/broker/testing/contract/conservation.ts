import assert from 'node:assert/strict';
import fc from 'fast-check';
import { eventually } from '../../../testing/eventually.ts';
import { MessageModel } from './message-model.ts';
import { bytes, type Claim, idsOf, type Scene, takeOne } from './scene.ts';

const action = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('publish'),
      many: fc.integer({ min: 1, max: 6 }),
      high: fc.boolean(),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constantFrom('ack', 'release', 'retry now', 'retry later', 'dead-letter'),
      many: fc.integer({ min: 1, max: 3 }),
      high: fc.constant(false),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constantFrom('redrive all', 'redrive one', 'discard one', 'wait', 'purge', 'restart'),
      many: fc.constant(1),
      high: fc.constant(false),
    }),
  },
);

export function conservationClaims(claim: Claim): void {
  claim('no sequence of calls loses, duplicates or misplaces a message', async (scene) => {
    let run = 0;
    const property = fc.asyncProperty(
      fc.array(action, { minLength: 5, maxLength: 25, size: 'max' }),
      async (actions) => {
        const queue = `run${run++}`;
        await scene.broker.declare(queue);
        const model = new MessageModel(scene.setup.keepsPlaces);
        for (const { kind, many, high } of actions) {
          for (let times = 0; times < many; times++) await act(scene, queue, model, kind, high);
          await agree(scene, queue, model);
        }
        await scene.restart();
        await agree(scene, queue, model);
      },
    );
    await fc.assert(property, { numRuns: scene.setup.isRealTime ? 6 : 20, endOnFailure: true });
  });
}

async function act(
  scene: Scene,
  queue: string,
  model: MessageModel,
  kind: string,
  high: boolean,
): Promise<void> {
  const { broker, setup } = scene;
  const oldestDead = model.dead[0]?.id;
  switch (kind) {
    case 'publish': {
      const id = model.publish(high);
      return broker.publish(queue, { id, body: bytes(id), lane: high ? 'high' : 'normal' });
    }
    case 'redrive all':
      assert.equal(await broker.redrive(queue), model.redrive(model.dead));
      return;
    case 'redrive one':
      if (oldestDead)
        assert.equal(await broker.redrive(queue, [oldestDead]), model.redrive(model.dead.slice(0, 1)));
      return;
    case 'discard one':
      if (oldestDead)
        assert.equal(await broker.discard(queue, [oldestDead]), model.delete(model.dead.slice(0, 1)));
      return;
    case 'purge':
      assert.equal(await broker.purge(queue), model.delete([...model.ready, ...model.delayed]));
      return;
    case 'wait':
      await setup.pass(setup.laterMs ?? 100);
      model.pass();
      await eventually('due messages are ready', async () => {
        const { ready, delayed } = await broker.status(queue);
        return delayed === 0 && ready.high + ready.normal === model.ready.length;
      });
      return;
    case 'restart':
      await scene.restart();
      return;
  }
  if (model.ready.length === 0) return;
  const delayMs = kind === 'retry now' ? 0 : (setup.laterMs ?? 100);
  const delivery = await takeOne(broker, queue, async (taken) => {
    if (kind === 'ack') await taken.ack();
    else if (kind === 'release') await taken.release();
    else if (kind === 'dead-letter') await taken.deadLetter('broken');
    else await taken.retry({ delayMs, reason: 'again' });
  });
  model.taken(delivery, kind);
  if (kind === 'retry later' && setup.isRealTime) await act(scene, queue, model, 'wait', false);
}

/** Asserts that the broker agrees with the model. */
async function agree(scene: Scene, queue: string, model: MessageModel): Promise<void> {
  const status = await scene.broker.status(queue);
  const counts = [status.ready.high + status.ready.normal, status.delayed, status.inFlight, status.dead];
  assert.deepEqual(counts, [model.ready.length, model.delayed.length, 0, model.dead.length]);
  const ready = (await scene.broker.peek(queue, { limit: 1000 })).filter(
    (message) => message.state === 'ready',
  );
  assert.deepEqual(model.comparable(idsOf(ready)), model.comparable(idsOf(model.ready)));
  assert.deepEqual(
    model.comparable(idsOf(await scene.broker.dead(queue))),
    model.comparable(idsOf(model.dead)),
  );
}
