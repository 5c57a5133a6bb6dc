import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { openDatabase } from '../../../../engine/database/open.ts';
import { hasCode } from '../../../../engine/ground/errors.ts';
import { eventually } from '../../../../engine/testing/eventually.ts';
import { temporaryDirectory } from '../../../../engine/testing/temporary-directory.ts';
import { ManualClock, systemClock } from '../../../../engine/time/clock.ts';
import { formatDay } from '../../../calendar/days.ts';
import { ingest } from '../../../ingest/ingest.ts';
import type { Statistics } from '../../../opened/statistics.ts';
import { answerSeries } from '../../../query/answer.ts';
import { reconcile } from '../../../rollup/reconcile.ts';
import { rollUp } from '../../../rollup/roll-up.ts';
import { sweep } from '../../../rollup/sweep.ts';
import type { ClickHouseServers } from '../../../testing/clickhouse-server.ts';
import { openTestStatistics } from '../../../testing/open-test-statistics.ts';
import { checkHistory, historySteps } from '../../../testing/random-history.ts';
import { storeContract } from '../../testing/contract.ts';
import { bodiesPerWrite } from '../../unit-rows.ts';
import { clickHouseRows } from '../rows.ts';

type Scope = { after(work: () => Promise<void>): void };

/** What must hold on two servers of any ClickHouse, each with a shard. */
export function clickHouseContract(name: string, servers: ClickHouseServers, histories: number): void {
  const [first, second] = servers.nodes;
  assert.ok(first && second);

  async function open(t: Scope, options: { store: string; clock?: ManualClock; lateDays?: number }) {
    const { store, clock = systemClock, lateDays = 45 } = options;
    const file = join(await temporaryDirectory(t), 'state.db');
    const database = await openDatabase('sqlite:', { file, clock });
    t.after(() => database.close());
    return openTestStatistics({ database, clock, settings: { store, lateDays } });
  }

  storeContract(`SQLite and ${name} of two shards`, async (t) => {
    const { store } = await open(t, { store: servers.urlOf() });
    return store;
  });

  test('whatever happens, every query equals the plain sum over all events', async (t) => {
    const clock = new ManualClock(Date.UTC(2020, 11, 20));
    const file = join(await temporaryDirectory(t), 'state.db');
    const database = await openDatabase('sqlite:', { file, clock });
    t.after(() => database.close());
    const store = servers.urlOf();
    const property = fc.asyncProperty(historySteps, fc.integer(), (steps, seed) =>
      checkHistory({ database, clock, store }, steps, seed),
    );
    await fc.assert(property, { numRuns: histories });
  });

  test('a shard is added by adding it to the URL: answers stay exact, and a re-run or new events spread rows over both', async (t) => {
    const alone = await open(t, { store: servers.urlOf([[first]], 'grown') });
    await send(alone, 'first');
    await rollUp(alone);
    const before = await ask(alone);
    const grown = await reopen(alone, servers.urlOf([[first], [second]], 'grown'));
    assert.deepEqual(await ask(grown), before);
    const counting = () => Promise.all([first, second].map((node) => rowsAt(node)));
    assert.equal((await counting())[1], 0, 'what was written before is where it was');
    await rollUp(grown, { all: true });
    await sweep(grown, { seal: true });
    await eventually('the old rows are gone', async () => {
      const [one = 0, two = 0] = await counting();
      // The entities with clicks, in slots, day, week, month and total.
      return one > 0 && two > 0 && one + two === 5 * 39;
    });
    assert.deepEqual(await ask(grown), before);
    await send(grown, 'second');
    await rollUp(grown);
    assert.deepEqual((await ask(grown)).total, { clicks: 2 * (before.total?.clicks ?? 0) });
    assert.equal((await reconcile(grown)).difference, undefined);
    // What the first shard alone has is not the whole: better no answer than a wrong one.
    await assert.rejects(ask(await reopen(grown, servers.urlOf([[first]], 'grown'))), (error) =>
      hasCode(error, 'unavailable'),
    );
    await assert.rejects(ask(await reopen(grown, '')), (error) => hasCode(error, 'configuration-invalid'));
  });

  const rowsAt = async (node: (typeof servers.nodes)[number]) => {
    const counts = await clickHouseRows(servers.urlOf([[node]], 'grown')).cubes();
    return [...counts.values()].reduce((sum, rows) => sum + rows, 0);
  };

  test('a replica that lags behind gives no smaller sum: the one that has the rows is asked', async (t) => {
    const alone = await open(t, { store: servers.urlOf([[first]], 'lagging') });
    await send(alone, 'first');
    await rollUp(alone);
    await sweep(alone);
    // A table that gets nothing from the other server, as if replication had stopped.
    await clickHouseRows(servers.urlOf([[second]], 'lagging')).cubes();
    const both = await reopen(alone, `${servers.urlOf([[second, first]], 'lagging')}&quorum=1`);
    assert.deepEqual(await ask(both), await ask(alone));
    const again = await reopen(alone, `${servers.urlOf([[second, first]], 'lagging')}&quorum=1`);
    assert.deepEqual((await ask(again, 'hour')).total, (await ask(alone)).total);
    const late = await reopen(alone, servers.urlOf([[second]], 'lagging'));
    await assert.rejects(ask(late, 'hour'), (error) => hasCode(error, 'unavailable'));
  });

  test('rows of replaced units are dropped later, and those of erased users too; nothing else goes', async (t) => {
    const store = servers.urlOf();
    const statistics = await open(t, { store });
    await send(statistics, 'first');
    await rollUp(statistics);
    await send(statistics, 'second');
    await rollUp(statistics);
    const { id } = (await statistics.store.head('keyword', '3')) ?? assert.fail();
    const rows = clickHouseRows(store);
    const before = await rows.bodies(id);
    const answer = await ask(statistics);
    const { replaced } = await sweep(statistics, { seal: true });
    assert.ok(replaced > 0 && replaced < before.length);
    await eventually(
      'the rows are gone',
      async () => (await rows.bodies(id)).length === before.length - replaced,
    );
    assert.deepEqual(await ask(statistics), answer);
    assert.equal((await sweep(statistics, { seal: true })).replaced, 0);
    await statistics.store.erase(id);
    await eventually('all rows are gone', async () => (await rows.cubes()).size === 0);
  });

  test('rows of a write that never came to its end are dropped after an hour, and don’t count before', async (t) => {
    const clock = new ManualClock(Date.UTC(2026, 3, 1));
    const store = servers.urlOf();
    const statistics = await open(t, { store, clock });
    await send(statistics, 'first');
    await rollUp(statistics);
    const { id } = (await statistics.store.head('keyword', '3')) ?? assert.fail();
    const answer = await ask(statistics);
    const [unit] = await statistics.store.units(id, 0);
    assert.ok(unit);
    const block = (await statistics.store.readUnits(id, [unit])).get(unit);
    assert.ok(block);
    // As if a process had died between writing rows and publishing them.
    await statistics.database.query
      .insertInto('statistics_write')
      .values({ id: 900, cube: id, createdAt: clock.now() })
      .execute();
    const rows = clickHouseRows(store);
    await rows.write(id, [{ body: 900 * bodiesPerWrite, level: 0, chunk: 0, block }]);
    assert.deepEqual(await ask(statistics), answer);
    assert.equal((await sweep(statistics, { seal: true })).replaced, 0, 'it may still end');
    clock.advance(2 * 3_600_000);
    assert.equal((await sweep(statistics, { seal: true })).replaced, 1);
    assert.deepEqual(await ask(statistics), answer);
  });
}

function reopen({ database, clock }: Statistics, store: string): Promise<Statistics> {
  return openTestStatistics({ database, clock, settings: { store } });
}

/** A click of each of forty keywords. */
async function send(statistics: Statistics, token: string): Promise<void> {
  const at = statistics.clock.now();
  const events = Array.from({ length: 40 }, (_, entity) => ({
    kind: 'keyword',
    entity,
    user: 3,
    split: entity % 2 ? 'context' : 'fulltext',
    at,
    clicks: entity,
  }));
  const batch = { owner: 'test', level: 'event' as const, content: { events }, mayWrite: () => true };
  assert.equal((await ingest(statistics, { ...batch, token })).accepted, events.length);
}

function ask(statistics: Statistics, granularity: 'day' | 'hour' = 'day') {
  const today = formatDay(statistics.days.dayAt(statistics.clock.now()));
  return answerSeries(statistics, {
    kind: 'keyword',
    user: 3,
    from: today,
    to: today,
    dimensions: ['clicks'],
    over: 'all',
    filters: [{ field: 'clicks', is: '>', value: 0 }],
    granularity,
    includeTotal: true,
    limit: 30,
  });
}
