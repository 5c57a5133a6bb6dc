import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { hasCode } from '../../engine/errors.ts';
import { FairTurns } from './fair-turns.ts';

/** Work that is done when told to. */
function setUp(limits: { atOnce: number; waitingPerKey: number; waiting: number }) {
  const turns = new FairTurns(limits);
  const started: string[] = [];
  const ends: (() => void)[] = [];
  const start = (key: string) =>
    turns.run(key, async () => {
      started.push(key);
      await new Promise<void>((resolve) => ends.push(resolve));
    });
  const endOne = async () => {
    await setImmediate();
    ends.shift()?.();
    await setImmediate();
  };
  return { start, started, endOne };
}

test('few run at once, and somebody with many waiting delays another by one', async () => {
  const { start, started, endOne } = setUp({ atOnce: 2, waitingPerKey: 10, waiting: 100 });
  const all = [...Array(8).fill('flood'), 'anna', 'bert'].map(start);
  await setImmediate();
  assert.deepEqual(started, ['flood', 'flood']);
  for (let count = 0; count < 3; count++) await endOne();
  assert.deepEqual(started.slice(2), ['flood', 'anna', 'bert']);
  for (let count = 0; count < 8; count++) await endOne();
  await Promise.all(all);
  assert.equal(started.length, 10);
});

test('who would wait too long is refused and takes no place', async () => {
  const { start, started, endOne } = setUp({ atOnce: 1, waitingPerKey: 2, waiting: 3 });
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
