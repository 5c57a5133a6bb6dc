import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openEmbedded } from '../testing/embedded.ts';
import { ManualClock } from '../time/clock.ts';
import type { TraceEvent } from './trace-period.ts';
import { pruneTrace, readTrace, writePeriod } from './trace-store.ts';

const serving = (at: number, stage: string): TraceEvent => ({
  kind: 'worker.state',
  entity: 'w',
  at,
  dimensions: { state: 'PROCESSING', stage },
});

async function setUp(t: Parameters<typeof openEmbedded>[0]) {
  const clock = new ManualClock(0);
  const { database } = await openEmbedded(t, { clock });
  return {
    database,
    write: (since: number, until: number, events: TraceEvent[], whole = false) =>
      writePeriod({ database, clock }, { since, until, events, whole }),
    rows: () => database.query.selectFrom('trace').selectAll().orderBy('until').execute(),
  };
}

test('a read starts at the last complete state before it', async (t) => {
  const { database, write } = await setUp(t);
  await write(0, 100, [serving(0, 'old')], true);
  await write(100, 200, [serving(100, 'a')], true);
  // More than one page, and only the first one says what the worker does.
  for (let at = 200; at < 700; at += 2) await write(at, at + 2, []);
  await write(700, 800, [serving(750, 'b')]);
  const { workers } = await readTrace(database, { from: 150, to: 790 });
  assert.deepEqual(workers, [
    {
      id: 'w',
      spans: [
        { from: 150, to: 750, stage: 'a', kind: 'serving' },
        { from: 750, to: 790, stage: 'b', kind: 'serving' },
      ],
    },
  ]);
});

test('a time without stored periods is empty, and one that ends before it starts is refused', async (t) => {
  const { database } = await setUp(t);
  assert.deepEqual(await readTrace(database, { from: 5, to: 10 }), {
    from: 5,
    to: 10,
    workers: [],
    queues: [],
  });
  await assert.rejects(readTrace(database, { from: 10, to: 10 }), { code: 'invalid-input' });
});

test('periods that are too old are deleted, and the oldest if there are too many', async (t) => {
  const { database, write, rows } = await setUp(t);
  const dayMs = 86_400_000;
  for (let day = 1; day <= 10; day++)
    await write((day - 1) * dayMs, day * dayMs, [serving(day * dayMs, 'a')]);
  await pruneTrace(database, { keepDays: 3, maxMb: 100 }, 10 * dayMs);
  assert.deepEqual(
    (await rows()).map(({ until }) => until / dayMs),
    [7, 8, 9, 10],
  );
  await pruneTrace(database, { keepDays: 3, maxMb: 0.0007 }, 10 * dayMs);
  assert.deepEqual(
    (await rows()).map(({ until }) => until / dayMs),
    [9, 10],
  );
});

test('a request for too much is refused, and the error says what to do', async (t) => {
  const { database } = await setUp(t);
  const row = { id: 'x', since: 0, until: 10, whole: 1, size: 50_000_000, eventsJson: '{}' };
  await database.query.insertInto('trace').values(row).execute();
  await assert.rejects(readTrace(database, { from: 0, to: 10 }), {
    code: 'invalid-input',
    message: /shorter/,
  });
});
