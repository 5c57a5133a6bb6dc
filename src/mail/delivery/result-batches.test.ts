import assert from 'node:assert/strict';
import test from 'node:test';
import { ManualClock } from '../../engine/time/clock.ts';
import { ResultBatches } from './result-batches.ts';

function gathering() {
  const clock = new ManualClock();
  const published: number[][] = [];
  const batches = new ResultBatches<number>(clock, async (results) => {
    published.push([...results]);
  });
  return { clock, published, batches };
}

test('the result of a single mail leaves at once; results of mails under way together share a message', async () => {
  const { batches, published } = gathering();
  batches.begin(1);
  await batches.end(1, [1]);
  assert.deepEqual(published, [[1]]);
  batches.begin(2);
  batches.begin(3);
  const first = batches.end(2, [2, 3]);
  assert.equal(published.length, 1);
  await Promise.all([first, batches.end(3, [4, 5, 6])]);
  assert.deepEqual(published, [[1], [2, 3, 4, 5, 6]]);
});

test('a mail that a relay keeps waiting, or that has no result, holds up the results of others for 10 ms at most', async () => {
  const { batches, clock, published } = gathering();
  batches.begin(3);
  const stored = batches.end(1, [1]);
  clock.advance(9);
  assert.deepEqual(published, []);
  clock.advance(1);
  await stored;
  assert.deepEqual(published, [[1]]);
  const next = batches.end(1, [2]);
  await batches.end(1, []);
  await next;
  assert.deepEqual(published, [[1], [2]]);
});

test('results that could not be published fail those who wait for them, and no others', async () => {
  let isAway = true;
  const batches = new ResultBatches<number>(new ManualClock(), async () => {
    if (isAway) throw new Error('the broker is away');
  });
  batches.begin(1);
  await assert.rejects(batches.end(1, [1]), /away/);
  isAway = false;
  batches.begin(1);
  await batches.end(1, [1]);
});
