import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasCode } from '../errors.ts';
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
    slots.run(owner, undefined, async () => {
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
    assert.match(error.message, /2 searches of yours wait already/);
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
