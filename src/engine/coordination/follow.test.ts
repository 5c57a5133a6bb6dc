import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../testing/eventually.ts';
import { follow } from './follow.ts';

test('changes that come together are read once, and the last state is reported', async () => {
  let state = 0;
  const told: number[] = [];
  const followed = follow({
    read: async () => state,
    onState: (now) => told.push(now),
    onError: assert.ifError,
  });
  for (let change = 1; change <= 10; change++) {
    state = change;
    followed.refresh();
  }
  await eventually('told', () => told.length > 0);
  state = 11;
  followed.refresh();
  await eventually('told again', () => told.includes(11));
  assert.deepEqual(told, [10, 11]);
  followed.stop();
});

test('a change that comes while a read fails is not missed', async () => {
  const told: string[] = [];
  const failures: unknown[] = [];
  const first = Promise.withResolvers<string>();
  const reads = [() => first.promise, async () => 'changed'];
  let began = false;
  const followed = follow({
    read() {
      began = true;
      return reads.shift()?.() ?? assert.fail('nothing more has changed');
    },
    onState: (state) => told.push(state),
    onError: (error) => failures.push(error),
  });
  await eventually('the first read', () => began);
  followed.refresh();
  first.reject(new Error('connection lost'));
  await eventually('told', () => told.length > 0);
  assert.deepEqual(told, ['changed']);
  assert.equal(failures.length, 1);
  followed.stop();
});
