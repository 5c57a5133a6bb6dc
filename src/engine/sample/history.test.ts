import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { pino } from 'pino';
import type { Database } from '../database/database.ts';
import { bothDatabases } from '../testing/both-databases.ts';
import { ManualClock } from '../time/clock.ts';
import { HistoryRecorder } from './history-recorder.ts';
import { hourMs, minuteMs } from './history-store.ts';
import type { Measured } from './measured.ts';
import { readHistory, seriesNames } from './read-history.ts';

const root = { name: 'root', role: 'admin' } as const;
const anna = { name: 'anna', role: 'user' } as const;
const log = pino({ level: 'silent' });
const start = Date.UTC(2026, 2, 1, 8);

const length = (value: number, queue = 'read', owner?: string): Measured => ({
  name: `queue.length/${queue}`,
  kind: 'level',
  value,
  owner,
});
const finished = (value: number): Measured => ({ name: 'stage.finished/read', kind: 'count', value });

for (const { name, open } of await bothDatabases()) {
  describe(`the history on ${name}`, () => {
    const clock = new ManualClock(start);
    const read = (
      database: Database,
      names: string[],
      from: number,
      to: number,
      points = 100,
      by: Parameters<typeof readHistory>[1] = root,
    ) =>
      readHistory(database.query, by, {
        names,
        from,
        to,
        points,
        resolution: to - from > 26 * hourMs ? 'hour' : 'minute',
      });

    test('each minute has the mean and the highest of a level, and the sum of a count; nobody looked is not zero', async (t) => {
      const { database } = await open(t, clock);
      const recorder = new HistoryRecorder({ database, clock, log });
      recorder.addLook(start, [length(4), finished(1)]);
      recorder.addCounts(start + 2_000, [finished(2)]);
      recorder.addLook(start + 10_000, [length(8)]);
      // The second minute is missing, and in the third the queue is empty.
      recorder.addLook(start + 2 * minuteMs, []);
      await recorder.write(start + 3 * minuteMs);
      const history = await read(database, ['queue.length/read', 'stage.*'], start, start + 4 * minuteMs);
      assert.deepEqual(history.series, [
        { name: 'queue.length/read', kind: 'level', values: [6, null, 0, null], highest: [8, null, 0, null] },
        { name: 'stage.finished/read', kind: 'count', values: [3, null, 0, null] },
      ]);
      assert.deepEqual([history.from, history.stepMs, history.more], [start, minuteMs, 0]);
      const joined = await read(database, ['queue.length/read'], start, start + 4 * minuteMs, 2);
      assert.deepEqual([joined.stepMs, joined.series[0]?.values], [2 * minuteMs, [6, 0]]);
    });

    test('a leader that is killed loses its last minute at most, and the next goes on in the same minute', async (t) => {
      const { database } = await open(t, clock);
      const killed = new HistoryRecorder({ database, clock, log });
      killed.addLook(start, [length(2), finished(5)]);
      await killed.write(start + 30_000);
      killed.addLook(start + minuteMs, [length(3), finished(7)]);
      await killed.write(start + minuteMs);
      // Killed here. One that leaves in good order writes what it has seen of the minute.
      const leaving = new HistoryRecorder({ database, clock, log });
      leaving.addLook(start + minuteMs + 20_000, [length(4), finished(1)]);
      await leaving.close();
      const next = new HistoryRecorder({ database, clock, log });
      next.addLook(start + minuteMs + 40_000, [length(8), finished(2)]);
      await next.write(start + 2 * minuteMs);
      const { series } = await read(database, ['*'], start, start + 2 * minuteMs);
      assert.deepEqual(
        series.map(({ values }) => values),
        [
          [2, 6],
          [5, 3],
        ],
      );
    });

    test('a month is kept by the hour, a day by the minute, and nothing beyond', async (t) => {
      const { database } = await open(t, clock);
      const recorder = new HistoryRecorder({ database, clock, log });
      const hours = 40 * 24;
      for (let hour = 0; hour < hours; hour += 6) {
        const at = start + hour * hourMs;
        recorder.addLook(at, [length(hour), finished(1)]);
        recorder.addLook(at + minuteMs, [length(hour), finished(2)]);
        await recorder.write(at + 2 * minuteMs);
      }
      const end = start + hours * hourMs;
      await recorder.write(end);
      const count = (resolution: 'minute' | 'hour') =>
        database.query.selectFrom('history').select('at').where('resolution', '=', resolution).execute();
      assert.ok((await count('minute')).length <= 2 * 5);
      assert.ok((await count('hour')).length <= 32 * 4 + 1);
      const { series } = await read(database, ['stage.finished/read'], end - 48 * hourMs, end, 48);
      const values = series[0]?.values ?? [];
      assert.deepEqual(
        values.filter((value) => value !== null),
        new Array(8).fill(3),
      );
    });

    test('users see the series of the installation and their own, and ask for no more than fits', async (t) => {
      const { database } = await open(t, clock);
      const recorder = new HistoryRecorder({ database, clock, log });
      recorder.addLook(start, [length(1), length(2, 'anna/out', 'anna'), length(3, 'bert/out', 'bert')]);
      await recorder.write(start + minuteMs);
      const names = async (by: Parameters<typeof readHistory>[1]) =>
        (await read(database, ['queue.*'], start, start + minuteMs, 100, by)).series.map((each) => each.name);
      assert.deepEqual(await names(anna), ['queue.length/anna/out', 'queue.length/read']);
      assert.equal((await names(root)).length, 3);
      assert.deepEqual(await names({ name: 'rita', role: 'reader' }), ['queue.length/read']);
      assert.deepEqual(
        await read(database, ['queue.length/bert/out'], start, start + minuteMs, 100, anna).then(
          ({ series }) => series,
        ),
        [],
      );
      const listed = await seriesNames(database.query, anna, start + 2 * minuteMs);
      assert.deepEqual(
        listed.map((each) => each.name),
        ['queue.length/anna/out', 'queue.length/read'],
      );
      const many = Array.from({ length: 900 }, (_, index) => length(1, `q${index}`));
      recorder.addLook(start + minuteMs, many);
      await recorder.write(start + 2 * minuteMs);
      const full = await read(database, ['queue.*'], start, start + 20 * hourMs, 1200);
      assert.ok(full.more > 0);
      assert.ok(full.series.length * (full.series[0]?.values.length ?? 0) <= 100_000);
    });
  });
}
