import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countVisit, eventFigures, noStatistics } from './statistics.ts';

test('a sitemap or feed that was read is no error; a page that was not kept is named by its reason', () => {
  const statistics = noStatistics();
  for (const reason of ['sitemap', 'feed', 'meta: noindex'])
    countVisit(statistics, { kind: 'page', outcome: 'not-kept', reason, bytes: 7 } as never);
  assert.deepEqual(statistics.errors, { 'meta: noindex': 1 });
  assert.deepEqual([statistics.requests, statistics.bytes], [3, 21]);
});

test('each document of a page counts, with its language; a page that is only archived is one', () => {
  const statistics = noStatistics();
  const stored = { kind: 'page', outcome: 'stored', bytes: 7 };
  countVisit(statistics, { ...stored, languages: ['cs', 'sk', 'constructor'] } as never);
  countVisit(statistics, stored as never);
  assert.equal(statistics.documents, 4);
  assert.deepEqual(statistics.languages, { cs: 1, sk: 1, constructor: 1 });
});

test('events have all figures; kinds of errors that servers make up are counted together', () => {
  const statistics = noStatistics();
  for (let n = 0; n < 1000; n++)
    countVisit(statistics, { kind: 'page', outcome: 'not-kept', reason: `type x/${n}`, bytes: 1 } as never);
  assert.ok(Object.keys(statistics.errors).length <= 201);
  const figures = eventFigures({ ...statistics, spent: { clean: 5 } });
  assert.equal(figures.errors, 1000);
  assert.equal(figures['errors type x/0'], 1);
  assert.equal(figures['errors other'], 800);
  assert.deepEqual([figures['addresses resting'], figures['ms clean'], figures.htmlBytes], [0, 5, 0]);
});
