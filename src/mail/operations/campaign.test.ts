import assert from 'node:assert/strict';
import { test } from 'node:test';
import { campaignCreate } from './campaign.ts';

test('variants have shares that can be counted with', () => {
  const isTaken = (...variants: string[]) =>
    campaignCreate.input.safeParse({ name: 'spring', type: 'news', audience: ['query:all'], variants })
      .success;
  assert.equal(isTaken('news=1', 'news-b=0.25', 'news-c=1000000'), true);
  for (const share of ['0', '0.0', '-1', '1000001', '9'.repeat(400), '', '1e3', 'NaN'])
    assert.equal(isTaken('news=1', `news-b=${share}`), false, share);
});
