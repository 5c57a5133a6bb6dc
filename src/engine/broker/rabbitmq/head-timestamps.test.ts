import assert from 'node:assert/strict';
import test from 'node:test';
import { ManualClock } from '../../time/clock.ts';
import { HeadTimestamps } from './head-timestamps.ts';

/** Looking would need one. */
const noChannel = undefined as never;

test('while a queue is consumed, its age is known without a basic.get, which would mark its first message as redelivered', async () => {
  const clock = new ManualClock();
  const headTimestamps = new HeadTimestamps(clock);
  headTimestamps.received('mails', 1000, clock.now());
  headTimestamps.received('mails', 2000, clock.now());
  assert.equal(await headTimestamps.publishedAt(noChannel, 'mails', 5), 2000);
  assert.equal(await headTimestamps.publishedAt(noChannel, 'mails', 0), null);
  clock.advance(1000);
  await assert.rejects(headTimestamps.publishedAt(noChannel, 'mails', 5), TypeError);
});
