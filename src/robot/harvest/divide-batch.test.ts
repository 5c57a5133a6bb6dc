import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { BatchPlan, Stop, Visit } from '../batch/plan.ts';
import { divideBatch } from './divide-batch.ts';

const visit = (path: string, kind: Visit['kind'] = 'page'): Visit => ({
  path,
  kind,
  depth: 1,
  parent: 1,
  hops: 0,
  attempts: 0,
});

const stops = fc.record({ pages: fc.nat(300), delayMs: fc.constantFrom(0, 0, 500), robots: fc.boolean() });

test('shares of a batch have each visit once, and together no more requests at once than the batch', () => {
  fc.assert(
    fc.property(
      fc.array(fc.array(stops, { maxLength: 3 }), { maxLength: 4 }),
      fc.integer({ min: 1, max: 9 }),
      fc.integer({ min: 1, max: 4 }),
      (shapes, maxHosts, threads) => {
        const rows = shapes.map((row, y) =>
          row.map(({ pages, delayMs, robots }, x): Stop => {
            const visits = Array.from({ length: pages }, (_, index) => visit(`/${y}/${x}/${index}`));
            if (robots) visits.unshift(visit('/robots.txt', 'robots'));
            return { domain: 10 * y + x, origin: '', host: `${y}.${x >> 1}`, address: '1', delayMs, visits };
          }),
        );
        const maxReqs = 999;
        const plan: BatchPlan = { rules: { reqDelayMs: 0, maxHosts, maxReqs, generalPauseMs: 0 }, rows };
        const shares = divideBatch(plan, threads);
        assert.ok(shares.length <= threads);
        for (const [y, row] of rows.entries())
          for (const [x, stop] of row.entries()) {
            const parts = shares.map((share) => share.rows[y]?.[x] as Stop);
            const paths = parts.flatMap(({ visits }) => visits.map(({ path }) => path));
            assert.deepEqual(paths.toSorted(), stop.visits.map(({ path }) => path).toSorted());
            const atOnce = parts.map((part) => part.atOnce ?? maxHosts);
            assert.ok(atOnce.reduce((sum, each) => sum + each, 0) <= maxHosts);
            assert.ok(atOnce.every((each) => each >= 1));
            const most = parts.map((part) => part.most ?? maxReqs);
            assert.ok(most.reduce((sum, each) => sum + each, 0) <= maxReqs);
            assert.ok(parts.every(({ visits }, share) => visits.length <= (most[share] ?? 0)));
            const isWhole = stop.delayMs > 0 || stop.visits[0]?.kind === 'robots';
            if (isWhole) assert.equal(parts[0]?.visits.length, stop.visits.length);
          }
      },
    ),
    { numRuns: 200 },
  );
});
