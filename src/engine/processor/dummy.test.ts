import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock, systemClock } from '../time/clock.ts';
import { dummyProcessor } from './dummy.ts';
import { runProcessor } from './run-processor.ts';

function load(clock: ManualClock) {
  const registration = dummyProcessor(clock);
  assert.ok('inline' in registration);
  return registration.inline;
}

test('it waits as long as the size of its first file says, and keeps the files as they are', async () => {
  const clock = new ManualClock();
  const files = { page: 'x'.repeat(100), other: 'y'.repeat(1000) };
  let done = false;
  const running = runProcessor(load(clock), { config: 'TIME_SCALE = 0.1', files }).then((result) => {
    done = true;
    return result;
  });
  await new Promise(setImmediate);
  clock.advance(9_999);
  await new Promise(setImmediate);
  assert.equal(done, false);
  clock.advance(1);
  const result = await running;
  assert.deepEqual(result.files, files);
  assert.match(result.log.join(), /waiting 10.000 s for 100 bytes/);
});

test('it fails as often as its failure rate says', async () => {
  const config = 'TIME_SCALE = 0\nFAILURE_RATE = 0.5';
  const processor = dummyProcessor(systemClock);
  assert.ok('inline' in processor);
  await assert.rejects(runProcessor(processor.inline, { config, random: () => 0.4 }), /FAILURE_RATE/);
  await runProcessor(processor.inline, { config, random: () => 0.6 });
});
