import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { hasCode } from '../ground/errors.ts';
import { OwnerSlots } from './owner-slots.ts';

const limits = { inAll: 3, perOwner: 2, waitingPerOwner: 2, what: 'searches' };

test('one owner never has all slots', async () => {
  const slots = new OwnerSlots(limits);
  await slots.take('anna');
  const end = await slots.take('anna');
  const third = slots.take('anna');
  const bert = await slots.take('bert');
  let started = false;
  void third.then(() => {
    started = true;
  });
  bert();
  await Promise.resolve();
  assert.equal(started, false, 'a slot of bert’s is of no use to anna, who has two');
  end();
  await third;
});

test('owners take turns, whoever came first', async () => {
  const slots = new OwnerSlots({ ...limits, inAll: 1, perOwner: 1 });
  const order: string[] = [];
  const work = (owner: string) =>
    slots.run(owner, async () => {
      order.push(owner);
    });
  const end = await slots.take('zoe');
  const all = [work('anna'), work('anna'), work('bert'), work('cyril')];
  end();
  await Promise.all(all);
  assert.deepEqual(order, ['anna', 'bert', 'cyril', 'anna']);
});

test('a caller beyond the line is refused and told when to return; others are not', async () => {
  const slots = new OwnerSlots({ ...limits, inAll: 1, perOwner: 1 });
  const end = await slots.take('anna');
  const waiting = [slots.take('anna'), slots.take('anna')];
  await assert.rejects(slots.take('anna'), (error) => {
    assert.ok(hasCode(error, 'unavailable'));
    assert.match(error.message, /You already have 2 searches waiting/);
    assert.ok(error.details?.retryAfterSeconds);
    return true;
  });
  const bert = slots.take('bert');
  end();
  for (const next of [waiting[0], bert, waiting[1]]) (await next)?.();
});

test('a caller that leaves the line makes room, and takes no slot later', async () => {
  const slots = new OwnerSlots({ ...limits, inAll: 1, perOwner: 1, waitingPerOwner: 1 });
  const end = await slots.take('anna');
  const leaving = new AbortController();
  const left = slots.take('anna', leaving.signal);
  leaving.abort(new Error('gone'));
  await assert.rejects(left, /gone/);
  await assert.rejects(slots.take('anna', AbortSignal.abort(new Error('gone'))), /gone/);
  const next = slots.take('anna');
  end();
  (await next)();
  (await slots.take('bert'))();
});

test('an owner with many waiting callers delays another owner by one', async () => {
  const { start, started, endOne } = setUp({ inAll: 2, waitingPerOwner: 10 });
  const all = [...Array(8).fill('flood'), 'anna', 'bert'].map(start);
  await setImmediate();
  assert.deepEqual(started, ['flood', 'flood']);
  for (let count = 0; count < 3; count++) await endOne();
  assert.deepEqual(started.slice(2), ['flood', 'anna', 'bert']);
  for (let count = 0; count < 8; count++) await endOne();
  await Promise.all(all);
  assert.equal(started.length, 10);
});

test('when enough callers wait, any other is refused, and takes no slot later', async () => {
  const { start, started, endOne } = setUp({ inAll: 1, waitingPerOwner: 2, waiting: 3 });
  const refused = (error: unknown) => hasCode(error, 'unavailable') && error.details?.retryAfterSeconds === 5;
  const running = [start('a'), start('a'), start('a')];
  await assert.rejects(start('a'), refused);
  running.push(start('b'));
  await assert.rejects(start('c'), refused);
  for (let count = 0; count < 4; count++) await endOne();
  await Promise.all(running);
  assert.deepEqual(started, ['a', 'a', 'b', 'a']);
  const last = start('c');
  await endOne();
  await last;
});

/** Work that is done when told to. */
function setUp(chosen: { inAll: number; waitingPerOwner: number; waiting?: number }) {
  const slots = new OwnerSlots({ ...chosen, what: 'searches' });
  const started: string[] = [];
  const ends: (() => void)[] = [];
  const start = (owner: string) =>
    slots.run(owner, async () => {
      started.push(owner);
      await new Promise<void>((resolve) => ends.push(resolve));
    });
  const endOne = async () => {
    await setImmediate();
    ends.shift()?.();
    await setImmediate();
  };
  return { start, started, endOne };
}
