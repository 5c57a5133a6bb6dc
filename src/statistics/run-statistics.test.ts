import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../engine/time/clock.ts';
import { openTestEngine } from '../server/testing/test-engine.ts';
import { ingest } from './ingest/ingest.ts';
import { statisticsOf } from './opened/statistics.ts';
import { answerSeries } from './query/answer.ts';
import { runStatistics } from './run-statistics.ts';

test('the schedules bring every level up to date, and seal days after which no late event is taken', async (t) => {
  const clock = new ManualClock(Date.parse('2026-04-10T12:00:00Z'));
  const engine = await openTestEngine(t, { clock });
  const running = await runStatistics(engine);
  t.after(() => running.close());
  const statistics = await statisticsOf(engine);
  const send = (token: string) =>
    ingest(statistics, {
      owner: 'a',
      token,
      level: 'event',
      mayWrite: () => true,
      content: {
        events: [
          { kind: 'keyword', entity: 17, user: 3, split: 'context', at: '2026-03-29T12:00:00Z', clicks: 1 },
        ],
      },
    });
  /** The tasks in the order in which the schedules run them: the half hour's first, then those of the night. */
  const runAll = async () => {
    const all = await engine.schedules.list();
    const schedules = all.filter(({ name }) => name.startsWith('statistics.')).reverse();
    const logs: string[] = [];
    const follow = async (before: string | undefined): Promise<void> => {
      for (const { name, definition } of schedules) {
        const { when } = definition;
        if ((when.kind === 'after' ? when.schedule : undefined) !== before) continue;
        const log = (line: string) => void logs.push(`${name}: ${line}`);
        await engine.schedules.task(name)?.({ parameters: {}, signal: new AbortController().signal, log });
        await follow(name);
      }
    };
    await follow(undefined);
    return logs.join('\n');
  };

  await send('first');
  const logs = await runAll();
  for (const level of ['slot', 'day', 'week', 'month', 'total'])
    assert.match(logs, new RegExp(`statistics.${level}: 1 units of 1 users and kinds built`));
  assert.match(logs, /statistics.sweep: 1 segments deleted/);
  assert.match(logs, /statistics.reconcile: 4 units of 1 users and kinds agree/);
  assert.match(logs, /statistics.seal: 0 segments deleted, 0 days sealed, 0 tokens forgotten/);

  assert.equal((await send('late')).accepted, 1, 'a late event is taken');
  const week = engine.schedules.task('statistics.week');
  const built: string[] = [];
  const signal = new AbortController().signal;
  for (const user of ['acme', 3])
    await week?.({ parameters: { user }, signal, log: (line) => void built.push(line) });
  assert.match(built[0] ?? '', /^0 units of 0 users/, 'only the units of this user');
  assert.match(built[1] ?? '', /^\d units of 1 users/);
  await assert.rejects(engine.schedules.run('statistics.week', { usr: 'acme' }), /did you mean user\?/);
  await assert.rejects(engine.schedules.run('statistics.sweep', { user: 'acme' }), /takes no parameters/);
  clock.advance(48 * 86_400_000);
  assert.match(await runAll(), /statistics.seal: .* 1 days sealed/);
  const { accepted, refusals } = await send('too late');
  assert.equal(accepted, 0);
  assert.match(refusals[0]?.reason ?? '', /^2026-03-29 is sealed: its slots are gone/);
  const march = { kind: 'keyword', user: 3, from: '2026-03-01', to: '2026-03-31', dimensions: ['clicks'] };
  const asked = { ...march, filters: [], over: 'interval' as const, includeTotal: true, limit: 10 };
  assert.deepEqual((await answerSeries(statistics, { ...asked, granularity: 'week' })).total, { clicks: 2 });
  await assert.rejects(
    answerSeries(statistics, {
      ...asked,
      from: '2026-03-29',
      to: '2026-03-29',
      granularity: 'hour',
      limit: 100,
    }),
    /the hours of 2026-03-29 are no longer kept/,
  );
});
