import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bothDatabases } from '../testing/both-databases.ts';
import { systemClock } from '../time/clock.ts';
import { addUsage, dayOf, usageNow } from './usage.ts';

const yesterday = Date.parse('2026-11-17T23:59:00Z');
const today = Date.parse('2026-11-18T00:01:00Z');

for (const { name, open } of await bothDatabases())
  test(`${name}: concurrent calls can’t exceed a limit together, and only the current day is kept`, async (t) => {
    const { database } = await open(t, systemClock);
    const limit = 5;
    const use = (at: number) =>
      database.transaction(async (transaction) => {
        const used = { owner: 'anna', kind: 'guestbook.bytes', month: dayOf(at), count: 1 };
        if ((await addUsage(transaction, used)) > limit) throw new Error('over the limit');
      });
    const ended = await Promise.allSettled(Array.from({ length: 8 }, () => use(yesterday)));
    assert.equal(ended.filter(({ status }) => status === 'fulfilled').length, limit);
    assert.deepEqual(await usageNow(database.query, 'anna', yesterday), [
      { kind: 'guestbook.bytes', period: '2026-11-17', count: limit },
    ]);
    await use(today);
    const rows = await database.query.selectFrom('usage').select(['month', 'count']).execute();
    assert.deepEqual(
      rows.map(({ month, count }) => [month, Number(count)]),
      [['2026-11-18', 1]],
    );
  });
