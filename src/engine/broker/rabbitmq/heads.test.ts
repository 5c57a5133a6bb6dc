import assert from 'node:assert/strict';
import test from 'node:test';
import { ManualClock } from '../../time/clock.ts';
import { Heads } from './heads.ts';

/** Looking would need one. */
const noChannel = undefined as never;

test('while a queue is consumed, its age is known without a look, which would mark its first message', async () => {
  const clock = new ManualClock();
  const heads = new Heads(clock);
  heads.received('mails', 1000, clock.now());
  heads.received('mails', 2000, clock.now());
  assert.equal(await heads.publishedAt(noChannel, 'mails', 5), 2000);
  assert.equal(await heads.publishedAt(noChannel, 'mails', 0), null);
  clock.advance(1000);
  await assert.rejects(heads.publishedAt(noChannel, 'mails', 5), TypeError);
});
