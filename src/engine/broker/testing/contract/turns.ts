import assert from 'node:assert/strict';
import { eventually } from '../../../testing/eventually.ts';
import type { Broker, Delivery } from '../../broker.ts';
import { ownerHeader } from '../../owner-header.ts';
import { bytes, type Claim, numbered } from './scene.ts';

async function publishFor(
  broker: Broker,
  owner: string,
  ids: readonly string[],
  lane?: 'high',
): Promise<void> {
  for (const id of ids) {
    const headers = { [ownerHeader]: owner };
    await broker.publish('letters', { id, body: bytes(id), headers, ...(lane && { lane }) });
  }
}

/** A handler that keeps what begins with `endless`, and acks everything else. */
function tarPit() {
  const running = new Set<Delivery>();
  const done: string[] = [];
  const end = Promise.withResolvers<void>();
  const handle = async (delivery: Delivery) => {
    if (delivery.id.startsWith('endless')) {
      running.add(delivery);
      await end.promise;
      running.delete(delivery);
    }
    done.push(delivery.id);
    await delivery.ack();
  };
  return { running, done, handle, end: () => end.resolve() };
}

export function turnClaims(claim: Claim): void {
  claim('whatever the turns, the messages of one owner come in their order', async ({ broker }) => {
    await broker.declare('letters');
    const owners = ['anna', 'bert', 'cyril'];
    for (const owner of owners) await publishFor(broker, owner, numbered(owner, 30));
    const started: string[] = [];
    const consumer = await broker.consume('letters', { concurrency: 3 }, async (delivery) => {
      started.push(delivery.id);
      void delivery.ack();
    });
    await eventually('all are started', () => started.length === 90);
    await consumer.close();
    for (const owner of owners) {
      const its = started.filter((id) => id.startsWith(owner));
      assert.deepEqual(its, numbered(owner, 30));
    }
  });

  claim('an owner is kept with its message', async ({ broker }) => {
    await broker.declare('letters');
    await publishFor(broker, 'Žofie', ['one']);
    const headers = { [ownerHeader]: 'Žofie', other: 'header' };
    await broker.publish('letters', { id: 'two', body: bytes('two'), headers });
    const seen = await broker.peek('letters');
    assert.deepEqual(
      seen.map((message) => message.headers),
      [{ [ownerHeader]: 'Žofie' }, headers],
    );
  });

  claim(
    "five endless messages of one owner in a queue with five slots don't keep another owner's waiting",
    async ({ broker, setup }) => {
      await broker.declare('letters');
      const pit = tarPit();
      const consumer = await broker.consume('letters', { concurrency: 5, extra: 5 }, pit.handle);
      await publishFor(broker, 'hog', numbered('endless', 12));
      await eventually('all slots are held', () => pit.running.size === 5);
      await publishFor(broker, 'neighbour', numbered('letter', 10));
      await setup.pass(1000);
      await eventually('the neighbour is served', () => pit.done.length === 10);
      assert.deepEqual(pit.done, numbered('letter', 10));
      assert.equal(pit.running.size, 5, 'the hog gets no extra slot');
      pit.end();
      await consumer.close();
    },
  );

  claim('with one slot, too, nobody waits behind an endless message of another owner', async (scene) => {
    const { broker, setup } = scene;
    await broker.declare('letters');
    const pit = tarPit();
    const consumer = await broker.consume('letters', { concurrency: 1, extra: 1 }, pit.handle);
    await publishFor(broker, 'hog', numbered('endless', 3));
    await eventually('the slot is held', () => pit.running.size === 1);
    await publishFor(broker, 'neighbour', ['letter']);
    await setup.pass(1000);
    await eventually('the neighbour is served', () => pit.done.includes('letter'));
    assert.equal(pit.running.size, 1);
    pit.end();
    await consumer.close();
  });

  claim('several hogs leave extra slots to those who come after them', async ({ broker, setup }) => {
    await broker.declare('letters');
    const pit = tarPit();
    const consumer = await broker.consume('letters', { concurrency: 4, extra: 4 }, pit.handle);
    for (const hog of ['a', 'b']) {
      await publishFor(broker, hog, numbered(`endless-${hog}`, 6));
      await eventually('the hog holds slots', () =>
        [...pit.running].some(({ id }) => id.includes(`-${hog}`)),
      );
      await setup.pass(1000);
    }
    await publishFor(broker, 'neighbour', ['letter']);
    await eventually('the neighbour is served', async () => {
      await setup.pass(1000);
      return pit.done.includes('letter');
    });
    assert.ok(pit.running.size < 8, `${pit.running.size} slots are held`);
    pit.end();
    await consumer.close();
  });

  claim('without extra slots, a consumer never exceeds its concurrency', async ({ broker, setup }) => {
    await broker.declare('letters');
    const pit = tarPit();
    const consumer = await broker.consume('letters', { concurrency: 2 }, pit.handle);
    await publishFor(broker, 'hog', numbered('endless', 3));
    await eventually('both slots are held', () => pit.running.size === 2);
    await publishFor(broker, 'neighbour', ['letter']);
    await setup.pass(2500);
    assert.equal(pit.done.length, 0);
    pit.end();
    await eventually('all are done', () => pit.done.length === 4);
    await consumer.close();
  });

  claim('a high message goes before the normal ones of every owner', async ({ broker }) => {
    await broker.declare('letters');
    await publishFor(broker, 'big', numbered('m', 20));
    await publishFor(broker, 'big', ['high-big'], 'high');
    await publishFor(broker, 'small', ['small']);
    const started: string[] = [];
    const consumer = await broker.consume('letters', { concurrency: 1 }, async (delivery) => {
      started.push(delivery.id);
      await delivery.ack();
    });
    await eventually('all are started', () => started.length === 22);
    await consumer.close();
    assert.equal(started[0], 'high-big');
  });
}
