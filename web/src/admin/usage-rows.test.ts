import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rowsOf } from './usage-rows.ts';

const used = { owner: 'anna', month: '2026-11', bytes: 0 };
const limits = { pagesWaiting: null, storageMb: null, version: '1' };

test('who has limits is listed without having used anything, and who used something without limits', () => {
  const rows = rowsOf(
    [{ ...used, subject: 'user:anna', pages: 12, stored: 100 }],
    [{ ...limits, subject: 'user:bert', pagesPerMonth: 10 }],
  );
  assert.deepEqual(
    rows.map(({ subject, pages, pagesPerMonth, over }) => [subject, pages, pagesPerMonth, over]),
    [
      ['user:anna', 12, null, false],
      ['user:bert', 0, 10, false],
    ],
  );
});

test('who has reached a limit stands out', () => {
  const usage = [{ ...used, subject: 'user:anna', pages: 10, stored: 2 * 2 ** 20 }];
  const over = (part: object) =>
    rowsOf(usage, [{ ...limits, subject: 'user:anna', pagesPerMonth: null, ...part }])[0]?.over;
  assert.equal(over({ pagesPerMonth: 10 }), true);
  assert.equal(over({ pagesPerMonth: 11 }), false);
  assert.equal(over({ storageMb: 2 }), true);
  assert.equal(over({ storageMb: 3 }), false);
});
