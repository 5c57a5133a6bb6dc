import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { planRows, spread, type WaitingHost } from './plan-rows.ts';
import { longestBatchMs } from './rules.ts';

const waiting: fc.Arbitrary<WaitingHost[]> = fc
  .array(
    fc.record({
      addresses: fc.uniqueArray(fc.integer({ min: 1, max: 6 }).map(String), { minLength: 1, maxLength: 3 }),
      queued: fc.integer({ min: 0, max: 500 }),
      delayMs: fc.integer({ min: 0, max: 60_000 }),
      maxHosts: fc.integer({ min: 1, max: 4 }),
      maxReqs: fc.integer({ min: 1, max: 200 }),
    }),
    { maxLength: 40 },
  )
  .map((hosts) => hosts.map((host, index) => ({ ...host, host: `host${index}` })));

test('a batch keeps every rule, whatever waits', () => {
  fc.assert(
    fc.property(waiting, fc.integer({ min: 1, max: 5_000 }), (hosts, meanMs) => {
      const rows = planRows(hosts, { meanMs });
      const shares = rows.flat();
      const known = new Map(hosts.map((host) => [host.host, host]));
      assert.equal(new Set(shares.map(({ host }) => host)).size, shares.length, 'a host is in one row only');
      for (const { host, count } of shares) {
        const { queued, maxReqs, addresses, maxHosts } = known.get(host) as WaitingHost;
        assert.ok(count >= 1 && count <= Math.min(queued, maxReqs));
        for (const address of addresses) {
          const there = shares.filter((share) => known.get(share.host)?.addresses.includes(address));
          // The hosts came one by one; each one found room by its own limit.
          assert.ok(
            there.length <= Math.max(...there.map((share) => known.get(share.host)?.maxHosts ?? 0)),
            `${maxHosts}`,
          );
        }
      }
      for (const row of rows) {
        const ms = row.reduce((sum, { host, count }) => {
          const step = Math.max(known.get(host)?.delayMs ?? 0, meanMs);
          return sum + count * step;
        }, 0);
        assert.ok(row.length === 1 || ms <= longestBatchMs);
        assert.ok(ms <= longestBatchMs);
      }
    }),
  );
});

test('something is planned whenever something waits', () => {
  fc.assert(
    fc.property(waiting, (hosts) => {
      assert.equal(
        planRows(hosts, { meanMs: 100 }).length > 0,
        hosts.some(({ queued }) => queued > 0),
      );
    }),
  );
});

test('there are as many rows as the delay needs', () => {
  const hosts = Array.from({ length: 500 }, (_, index) => ({
    host: `host${index}`,
    addresses: [`address${index}`],
    queued: 100,
    delayMs: 5_000,
    maxHosts: 2,
    maxReqs: 100,
  }));
  assert.equal(planRows(hosts, { meanMs: 200 }).length, 25);
});

test('rows of one address are dealt apart', () => {
  assert.deepEqual(spread(['a1', 'a2', 'b1', 'b2', 'c1', 'c2'], 2), ['a1', 'b1', 'c1', 'a2', 'b2', 'c2']);
});
