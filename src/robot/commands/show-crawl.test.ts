import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noStatistics } from '../crawl/statistics.ts';
import { liveLines, statisticsFields } from './show-crawl.ts';

const crawl = {
  id: '1',
  name: 'Czech',
  owner: 'local',
  state: 'running' as const,
  scansWaiting: 0,
  createdAt: 0,
  startedAt: 0,
  finishedAt: null,
};

test('the terminal shows rates, words, share of text, hosts, addresses by state, queue and errors', () => {
  const before = { ...crawl, statistics: noStatistics() };
  const statistics = {
    ...noStatistics(),
    at: 2_000,
    documents: 10,
    bytes: 4_000_000,
    htmlBytes: 100,
    textBytes: 16,
    words: 1_234,
    domains: 1,
    errors: { 'http 404': 1 },
    queued: 5,
    addresses: { waiting: 1, active: 2, resting: 3, done: 4 },
  };
  assert.deepEqual(liveLines({ ...crawl, statistics }, before), [
    'Czech: running, 10 pages, 5.0/s, 4.00 MB, 2.00 MB/s',
    '1,234 words, text is 16.0 % of the pages; 1 error, 0 disallowed',
    '1 host; addresses: 1 waiting, 2 active, 3 resting, 4 done; 5 queued',
  ]);
});

test('after pages were visited again, the figures say how many had not changed', () => {
  const fields = statisticsFields({
    ...crawl,
    statistics: { ...noStatistics(), documents: 3, unchanged: 84 },
  });
  assert.equal(fields.unchanged, '84');
});
