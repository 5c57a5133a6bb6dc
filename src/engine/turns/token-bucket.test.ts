import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TokenBucket } from './token-bucket.ts';

test('a bucket gives its number of tokens a second and no more, however long nothing was taken', () => {
  const bucket = new TokenBucket(10);
  let given = 0;
  for (let now = 1000; now <= 3000; now += 1) {
    if (bucket.waitMs(now) === 0) {
      bucket.take(now);
      given++;
    }
  }
  assert.ok(given >= 29 && given <= 31, String(given));
});
