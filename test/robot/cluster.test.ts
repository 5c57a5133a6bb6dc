import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sharedPostgres } from '../../src/engine/testing/servers/shared.ts';
import { temporaryDirectory } from '../../src/engine/testing/temporary-directory.ts';
import { crawlInCluster } from './cluster.ts';

test('processes that are killed in the middle of a crawl break no rule and lose no page', async (t) => {
  const postgres = await sharedPostgres();
  t.after(() => postgres.close());
  const figures = await crawlInCluster({
    directory: await temporaryDirectory(t),
    url: await postgres.createDatabase(),
    processes: 2,
    harvesters: 2,
    kills: 1,
    leaseSeconds: 1,
    deadlineMs: 120_000,
    say: () => {},
    plan: { seed: 5, hosts: 24, addresses: 12, pages: 10, faults: false },
    crawl: { reqDelay: 0.03, generalPause: 0.2, maxHosts: 2, maxReqs: 8, pageTimeout: 1 },
  });
  const { violations, auditViolations, complaints, missing, storedTwice, kills } = figures;
  assert.deepEqual(
    { violations, auditViolations, complaints },
    { violations: [], auditViolations: [], complaints: [] },
  );
  assert.deepEqual({ missing, storedTwice, kills }, { missing: 0, storedTwice: 0, kills: 1 });
});
