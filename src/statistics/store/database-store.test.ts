import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { seededRandom } from '../../engine/simulation/chance.ts';
import { bothDatabases } from '../../engine/testing/both-databases.ts';
import { temporaryDirectory } from '../../engine/testing/temporary-directory.ts';
import { ManualClock, systemClock } from '../../engine/time/clock.ts';
import { unitOf } from '../calendar/days.ts';
import { ingest } from '../ingest/ingest.ts';
import { answerSeries, answerTable } from '../query/answer.ts';
import { reconcile } from '../rollup/reconcile.ts';
import { rollUp } from '../rollup/roll-up.ts';
import { openTestStatistics } from '../testing/open-test-statistics.ts';
import { surviveKills } from '../testing/survive-kills.ts';
import { closeMonth } from './closed-months.ts';
import { storeContract } from './testing/contract.ts';

const databases = await bothDatabases();
for (const { name, open } of databases)
  storeContract(name, async (t) => {
    const { store } = await openTestStatistics(await open(t, systemClock));
    return store;
  });

for (const { name, open } of databases)
  test(`more entities than one chunk holds add up as well, on ${name}`, async (t) => {
    const parts = await open(t, new ManualClock(Date.UTC(2026, 3, 1)));
    const statistics = await openTestStatistics(parts);
    const events = (entities: number[]) =>
      entities.map((entity) => ({
        kind: 'keyword',
        entity,
        user: 3,
        split: 'context',
        at: '2026-03-29T12:00:00Z',
        clicks: entity,
      }));
    const send = (token: string, list: object[]) =>
      ingest(statistics, {
        owner: 'a',
        token,
        level: 'event',
        content: { events: list },
        mayWrite: () => true,
      });
    await send('first', events([1]));
    // As if 65,534 more had come: only their numbers are used up.
    await statistics.database.query.updateTable('statistics_cube').set({ entities: 65_535 }).execute();
    await send('others', events([2, 3, 4]));
    const question = {
      kind: 'keyword',
      user: 3,
      from: '2026-03-01',
      to: '2026-03-31',
      dimensions: ['clicks'],
      filters: [{ field: 'clicks', is: '>' as const, value: 1 }],
      over: 'interval' as const,
    };
    for (const round of ['before the roll-up', 'after it']) {
      const series = { ...question, granularity: 'month' as const, includeTotal: true, limit: 10 };
      assert.deepEqual((await answerSeries(statistics, series)).total, { clicks: 9 }, round);
      const table = await answerTable(statistics, { ...question, sort: 'clicks:desc', offset: 0, limit: 10 });
      assert.deepEqual(
        table.rows.map(({ entity }) => entity),
        ['4', '3', '2'],
        round,
      );
      await rollUp(statistics);
      assert.equal((await reconcile(statistics)).difference, undefined);
    }
  });

for (const { name, open } of databases)
  test(`once a month is closed its sums stay, whatever is under way, on ${name}`, async (t) => {
    const statistics = await openTestStatistics(await open(t, systemClock));
    const at = systemClock.now();
    const month = unitOf('month', statistics.days.dayAt(at)).from;
    const seq = async () => (await statistics.store.head('keyword', '3'))?.seq ?? 0;
    const events = [{ kind: 'keyword', entity: 1, user: 3, split: 'context', at, clicks: 1 }];
    const batch = { owner: 'a', level: 'event' as const, content: { events }, mayWrite: () => true };
    for (let round = 0; round < 15; round++) {
      const sending = [0, 1, 2].map((one) => ingest(statistics, { ...batch, token: `${round}/${one}` }));
      await closeMonth(statistics, { month, open: false, by: 'test' });
      const closed = await seq();
      const answers = await Promise.all(sending);
      assert.equal(await seq(), closed);
      assert.ok(answers.every(({ accepted, corrections }) => accepted + corrections === 1));
      await closeMonth(statistics, { month, open: true, by: 'test' });
    }
  });

test('a process killed while it ingests, rolls up and sweeps leaves exact sums', async (t) => {
  const file = join(await temporaryDirectory(t), 'state.db');
  const { batches } = await surviveKills(t, { url: 'sqlite:', file, kills: 4, random: seededRandom(5) });
  assert.ok(batches > 0);
});
