import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Turns } from '../turns/turns.ts';
import { firstRows } from './first-rows.ts';

test('a page has the rows that sorting everything would give, and equal rows keep their order', async () => {
  const turns = new Turns();
  const page = fc.record({
    values: fc.array(fc.integer({ min: -3, max: 9 }), { maxLength: 60 }),
    offset: fc.integer({ min: 0, max: 70 }),
    limit: fc.integer({ min: 0, max: 20 }),
    descending: fc.boolean(),
    asTexts: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(page, async ({ values, offset, limit, descending, asTexts }) => {
      // Above zero, numbers and their texts have the same order.
      const positive = values.map((value) => value + 3);
      const columns = asTexts ? { texts: positive.map(String) } : { values: Float64Array.from(positive) };
      const rows = await firstRows(values.length, { offset, limit, descending, turns, ...columns });
      const sorted = [...values.keys()].sort((one, other) => {
        const difference = (values[one] as number) - (values[other] as number);
        return difference === 0 ? one - other : descending ? -difference : difference;
      });
      assert.deepEqual(rows, sorted.slice(offset, offset + limit));
    }),
  );
});
