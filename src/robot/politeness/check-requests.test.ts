import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkRequests, type SeenRequest } from './check-requests.ts';

const rules = { reqDelayMs: 100, maxHosts: 2, maxReqs: 3, generalPauseMs: 1_000 };
const request = (at: number, host = 'a.cz', more: Partial<SeenRequest> = {}): SeenRequest => ({
  at: 1e12 + at,
  ms: 10,
  address: '192.0.2.1',
  host,
  url: `http://${host}/${at}`,
  ...more,
});
const broken = (...requests: SeenRequest[]) => checkRequests(requests, rules).map(({ rule }) => rule);

test('requests within the rules pass', () => {
  assert.deepEqual(broken(request(0), request(110), request(220), request(1_300)), []);
});

test('each rule is checked', () => {
  assert.deepEqual(
    broken(request(0), request(105)),
    ['req-delay'],
    'counted from the end of the request before',
  );
  assert.deepEqual(broken(request(0), request(200), request(400), request(600)), ['max-reqs']);
  assert.deepEqual(broken(request(0), request(20, 'b.cz'), request(40, 'c.cz')), ['max-hosts']);
  assert.deepEqual(
    broken(request(0), request(500, 'a.cz', { delayMs: 800 })),
    ['req-delay'],
    'Crawl-delay counts',
  );
  const slow = { ms: 500 };
  assert.deepEqual(
    broken(request(0, 'a.cz', slow), request(10, 'b.cz', slow), request(20, 'c.cz', slow)).toSorted(),
    ['max-hosts', 'max-hosts'],
  );
  const endless = Array.from({ length: 1_300 }, (_, index) => request(index * 500, `host${index}`));
  const loose = { ...rules, maxHosts: 10_000 };
  assert.equal(checkRequests(endless, loose)[0]?.rule, 'general-pause');
});

test('another address has limits of its own', () => {
  const there = { address: '192.0.2.2' };
  assert.deepEqual(
    broken(request(0), request(10, 'b.cz'), request(20, 'c.cz', there), request(30, 'd.cz', there)),
    [],
  );
});

test('an address rests after every batch, however small', () => {
  const batches = (second: number) => [
    request(0, 'a.cz', { batch: '1' }),
    request(second, 'b.cz', { batch: '2' }),
  ];
  assert.deepEqual(broken(...batches(1_010)), []);
  assert.deepEqual(broken(...batches(1_009)), ['general-pause']);
  assert.deepEqual(broken(request(0, 'a.cz', { batch: '1' }), request(20, 'b.cz', { batch: '1' })), []);
});

test('crawls keep to the stricter rules while they meet, not before and after', () => {
  const lax = { ...rules, reqDelayMs: 0 };
  const hour = 3_600_000;
  const alone = [request(0, 'a.cz', { rules: lax }), request(20, 'a.cz', { rules: lax })];
  const later = [request(hour, 'a.cz', { rules }), request(hour + 110, 'a.cz', { rules })];
  assert.deepEqual(checkRequests([...alone, ...later]), []);
  const meeting = [
    request(hour + 5_000, 'a.cz', { rules: lax }),
    request(hour + 5_020, 'a.cz', { rules: lax }),
  ];
  const after = [request(hour + 9_000, 'a.cz', { rules })];
  assert.deepEqual(
    checkRequests([...alone, ...later, ...meeting, ...after]).map(({ rule, at }) => [rule, at]),
    [['req-delay', 1e12 + hour + 5_020]],
  );
});

test('where batches are known, their limits hold without a pause, too', () => {
  const none = { ...rules, reqDelayMs: 0, generalPauseMs: 0 };
  const batch = (from: number, id: string) =>
    [0, 20, 40].map((at) => request(from + at, 'a.cz', { batch: id }));
  assert.deepEqual(checkRequests([...batch(0, '1'), ...batch(60, '2')], none), []);
  const longer = [...batch(0, '1'), request(60, 'a.cz', { batch: '1' })];
  assert.deepEqual(
    checkRequests(longer, none).map(({ rule }) => rule),
    ['max-reqs'],
  );
});
