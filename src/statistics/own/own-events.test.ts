import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openTestEngine } from '../../server/testing/test-engine.ts';
import { answerTable } from '../query/answer.ts';
import { runStatistics } from '../run-statistics.ts';
import { statisticsOf } from '../statistics.ts';

test('what the engine and the houses report is counted, for the installation and for the user', async (t) => {
  const engine = await openTestEngine(t);
  const running = await runStatistics(engine);
  const statistics = await statisticsOf(engine);
  const at = engine.clock.now();
  const processed = (status: string, ms: number) =>
    engine.events.emit({
      ...{ kind: 'request.processed', entity: 'recognise', user: 'anna', at },
      dimensions: { worker: 'w1', ms, status, outcome: 'next' },
    });
  processed('OK', 120.4);
  processed('OK', 80);
  processed('Failed', 5);
  engine.events.emit({
    kind: 'schedule.run',
    entity: 'history.trim',
    at,
    dimensions: { status: 'succeeded', ms: 7 },
  });
  engine.events.emit({ kind: 'session.opened', entity: 'anna', user: 'anna', at });
  await running.close();

  const day = new Date(at).toISOString().slice(0, 10);
  const rowsOf = async (kind: string, user: string) => {
    const asked = {
      kind,
      user,
      from: '2020-01-01',
      to: day,
      filters: [],
      over: 'interval' as const,
      dimensions: [],
    };
    const { rows } = await answerTable(statistics, {
      ...{ ...asked, to: '2100-01-01', sort: 'name:asc', offset: 0, limit: 10, segment: 'split' as const },
    });
    return rows.map(({ entity, sums, splits }) => [entity, sums.count, sums.ms, splits?.failed?.count]);
  };
  for (const user of ['pismak', 'anna'])
    assert.deepEqual(await rowsOf('stage', user), [['recognise', 3, 205, 1]], user);
  assert.deepEqual(await rowsOf('worker', 'pismak'), [['w1', 3, 205, 1]]);
  assert.deepEqual(await rowsOf('schedule', 'pismak'), [['history.trim', 1, 7, 0]]);
  assert.deepEqual(await rowsOf('worker', 'anna'), [], 'workers belong to the installation');
});
