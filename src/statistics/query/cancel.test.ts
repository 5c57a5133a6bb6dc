import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { openDatabase } from '../../engine/database/open.ts';
import { temporaryDirectory } from '../../engine/testing/temporary-directory.ts';
import { ManualClock } from '../../engine/time/clock.ts';
import { CubeReader } from '../cube/cube-reader.ts';
import { ingest } from '../ingest/ingest.ts';
import { rollUp } from '../rollup/roll-up.ts';
import { openTestStatistics } from '../testing/open-test-statistics.ts';
import { answerSeries, answerTable } from './answer.ts';

test('a question whose caller has left reads no further', async (t) => {
  const clock = new ManualClock(Date.UTC(2026, 3, 1));
  const file = join(await temporaryDirectory(t), 'state.db');
  const database = await openDatabase('sqlite:', { file, clock });
  t.after(() => database.close());
  const statistics = await openTestStatistics({ database, clock });
  const { store } = statistics;
  const events = Array.from({ length: 250 }, (_, day) => ({
    kind: 'keyword',
    entity: day % 7,
    user: 3,
    split: 'context',
    clicks: 1,
    at: clock.now() - day * 86_400_000,
  }));
  const batch = { owner: 'a', token: 'a', level: 'event' as const, mayWrite: () => true };
  await ingest(statistics, { ...batch, content: { events } });
  await rollUp(statistics, { levels: ['slot', 'day'] });

  const question = {
    kind: 'keyword',
    user: 3,
    from: '2025-01-01',
    to: '2026-04-01',
    over: 'interval' as const,
    dimensions: ['clicks'],
    filters: [{ field: 'clicks', is: '>' as const, value: 1 }],
  };
  const asks = {
    table: (signal: AbortSignal, asked: typeof statistics) =>
      answerTable(asked, { ...question, sort: 'clicks:desc', offset: 0, limit: 10 }, signal),
    series: (signal: AbortSignal, asked: typeof statistics) =>
      answerSeries(asked, { ...question, granularity: 'day', includeTotal: true, limit: 5000 }, signal),
  };
  for (const [name, ask] of Object.entries(asks)) {
    const caller = new AbortController();
    let reads = 0;
    const leave = () => {
      reads++;
      caller.abort();
    };
    const counting: typeof store = {
      ...store,
      readUnits(...given) {
        leave();
        return store.readUnits(...given);
      },
      readSegments(...given) {
        leave();
        return store.readSegments(...given);
      },
    };
    const asked = { ...statistics, reader: new CubeReader(counting, 2 ** 20) };
    await assert.rejects(ask(caller.signal, asked), { name: 'AbortError' }, name);
    assert.equal(reads, 1, `${name}: 250 days take three reads`);
    await ask(new AbortController().signal, asked);
    assert.ok(reads > 2, name);
  }
});
