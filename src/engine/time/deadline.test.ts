import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from './clock.ts';
import { endsWithin, unlessAborted, withDeadline } from './deadline.ts';

const never = new Promise<string>(() => {});

test('an answer in time counts, and the deadline is forgotten', async () => {
  const clock = new ManualClock();
  const late = () => assert.fail('it was in time');
  assert.equal(await withDeadline(clock, 1000, Promise.resolve('answer'), late), 'answer');
  await assert.rejects(withDeadline(clock, 1000, Promise.reject(new Error('refused')), late), /refused/);
  clock.advance(2000);
});

test('the wait ends at the deadline', async () => {
  const clock = new ManualClock();
  const answer = withDeadline(clock, 1000, never, () => 'none');
  const failure = withDeadline(clock, 1000, never, () => {
    throw new Error('late');
  });
  const ended = endsWithin(clock, 1000, never);
  clock.advance(1000);
  assert.equal(await answer, 'none');
  await assert.rejects(failure, /late/);
  assert.equal(await ended, false);
});

test('a failure after the deadline is ignored', async () => {
  const clock = new ManualClock();
  const { promise, reject } = Promise.withResolvers<string>();
  const ended = endsWithin(clock, 1000, promise);
  clock.advance(1000);
  reject(new Error('too late to tell'));
  assert.equal(await ended, false);
});

test('an aborted signal ends the wait with its reason, even if it was aborted before', async () => {
  const stop = new AbortController();
  const waiting = unlessAborted(never, stop.signal);
  stop.abort(new Error('stopped'));
  await assert.rejects(waiting, /stopped/);
  await assert.rejects(unlessAborted(Promise.reject(new Error('refused')), stop.signal), /stopped|refused/);
  assert.equal(await unlessAborted(Promise.resolve('answer'), undefined), 'answer');
});
