import assert from 'node:assert/strict';
import { test } from 'node:test';
import { leftMs } from './document/summary.ts';
import { filtersOf, isFiltered, sortOf } from './list-filters.ts';

const of = (text: string) => filtersOf(new URLSearchParams(text));

test('the address of the list is its filter', () => {
  const from = new Date(2026, 2, 18).getTime();
  assert.deepEqual(
    of('q=chronicle&state=failed,partly&has=doubtful&from=2026-03-18&to=2026-03-18&sort=name'),
    {
      nameHas: 'chronicle',
      state: ['partly', 'failed'],
      has: 'doubtful',
      createdFrom: from,
      createdBefore: from + 24 * 3_600_000,
      sort: 'name',
      order: 'asc',
    },
  );
  assert.deepEqual(of('keyword=emperor,mill&unsurer=75&owner=anna'), {
    owner: 'anna',
    keyword: ['emperor', 'mill'],
    maxConfidence: 0.75,
    sort: 'created',
    order: 'desc',
  });
});

test('what an address says wrongly is left out, not sent', () => {
  assert.deepEqual(of('state=lost&has=x&from=yesterday&surer=200&unsurer=&sort=-size&q=%20'), {
    sort: 'created',
    order: 'desc',
  });
  assert.equal(isFiltered(new URLSearchParams('sort=name')), false);
  assert.equal(isFiltered(new URLSearchParams('q=a')), true);
  assert.deepEqual(sortOf(new URLSearchParams('sort=-pages')), { sort: 'pages', order: 'desc' });
});

test('the time that is left is said when some pages have shown how long they take', () => {
  const pages = {
    total: 100,
    waiting: 70,
    running: 5,
    done: 20,
    doubtful: 3,
    noText: 1,
    failed: 1,
    cancelled: 0,
  };
  assert.equal(leftMs({ pages, submittedAt: 0, now: 25_000 }), 75_000);
  assert.equal(leftMs({ pages, submittedAt: null, now: 25_000 }), undefined);
  assert.equal(
    leftMs({
      pages: { ...pages, waiting: 93, done: 0, doubtful: 1, noText: 0, failed: 1 },
      submittedAt: 0,
      now: 1,
    }),
    undefined,
  );
});
