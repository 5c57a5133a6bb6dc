import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openEmbedded } from '../testing/embedded.ts';
import { ManualClock } from '../time/clock.ts';
import { checkStores } from './check-stores.ts';

test('stores that answer are healthy, and one that does not is named with the reason', async (t) => {
  const embedded = await openEmbedded(t);
  const well = { broker: undefined, coordination: undefined, database: undefined, blobs: undefined };
  assert.deepEqual(await checkStores(embedded), well);
  const failing = { ...embedded.blobs, has: () => Promise.reject(new Error('the disk is gone')) };
  assert.deepEqual(await checkStores({ ...embedded, blobs: failing }), {
    ...well,
    blobs: { state: 'down', reason: 'the disk is gone' },
  });
});

test('a hung store is given up after the timeout', async (t) => {
  const embedded = await openEmbedded(t);
  const clock = new ManualClock();
  const hanging = { ...embedded.blobs, has: () => new Promise<boolean>(() => {}) };
  const check = checkStores({ ...embedded, blobs: hanging, clock }, 500);
  clock.advance(500);
  const { blobs } = await check;
  assert.deepEqual(blobs, { state: 'down', reason: 'no answer within 500 ms' });
});
