import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { hasCode } from '../../engine/ground/errors.ts';
import { type Block, decodeBlock, encodeBlock } from './block.ts';
import { sumBlocks } from './sum-blocks.ts';
import { SumTable } from './sum-table.ts';

interface Row {
  split: number;
  slot: number;
  entity: number;
  values: number[];
}

const splits = 3;
const dimensions = 4;
const value = fc.oneof(
  fc.integer({ min: 0, max: 300 }),
  fc.integer({ min: -70_000, max: 70_000 }),
  fc.integer({ min: -(2 ** 40), max: 2 ** 40 }),
  fc.constant(0),
);
const row: fc.Arbitrary<Row> = fc.record({
  split: fc.integer({ min: 0, max: splits - 1 }),
  slot: fc.constantFrom(0, 1, 49, 255),
  entity: fc.constantFrom(0, 1, 7, 300, 900),
  values: fc.array(value, { minLength: dimensions, maxLength: dimensions }),
});

function blockOf(rows: readonly Row[], slots: boolean): Block {
  const table = new SumTable(dimensions);
  for (const { split, slot, entity, values } of rows) {
    const place = table.place(split, slots ? slot : 0, entity);
    for (const [dimension, number] of values.entries()) table.add(place, dimension, number);
  }
  return table.toBlock({ splits, slots });
}

/** All sums by split, slot and entity; those that are zero everywhere are left out. */
function contents(block: Block): Record<string, number[]> {
  const found: Record<string, number[]> = {};
  for (let split = 0; split < splits; split++)
    for (let at = block.splits[split] as number; at < (block.splits[split + 1] as number); at++) {
      const key = `${split}/${block.slots?.[at] ?? 0}/${block.entities[at]}`;
      assert.ok(!(key in found), `${key} is there once`);
      found[key] = Array.from({ length: dimensions }, (_, index) => block.columns[index]?.[at] ?? 0);
    }
  return found;
}

function plainSums(signed: readonly { row: Row; sign: number }[], slots: boolean): Record<string, number[]> {
  const sums: Record<string, number[]> = {};
  for (const { row, sign } of signed) {
    const key = `${row.split}/${slots ? row.slot : 0}/${row.entity}`;
    sums[key] = row.values.map((number, index) => (sums[key]?.[index] ?? 0) + sign * number);
  }
  return Object.fromEntries(Object.entries(sums).filter(([, values]) => values.some((sum) => sum !== 0)));
}

test('a block has the exact sums of its rows, and is the same after it was stored', () => {
  fc.assert(
    fc.property(fc.array(row, { maxLength: 60 }), fc.boolean(), (rows, slots) => {
      const block = blockOf(rows, slots);
      const expected = plainSums(
        rows.map((one) => ({ row: one, sign: 1 })),
        slots,
      );
      assert.deepEqual(contents(block), expected);
      const stored = encodeBlock(block);
      assert.deepEqual(contents(decodeBlock(stored)), expected);
      const shifted = new Uint8Array(stored.length + 3);
      shifted.set(stored, 3);
      assert.deepEqual(contents(decodeBlock(shifted.subarray(3))), expected, 'wherever the bytes begin');
      for (const [dimension, bound] of block.bounds.entries())
        assert.equal(
          bound,
          Object.values(expected).reduce((sum, values) => sum + Math.abs(values[dimension] ?? 0), 0),
        );
    }),
  );
});

test('blocks add up and subtract, with slots or without', () => {
  const part = fc.record({
    rows: fc.array(row, { maxLength: 20 }),
    sign: fc.constantFrom(1, -1),
    slots: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(part, { maxLength: 5 }), (parts) => {
      const blocks = parts.map(({ rows, sign, slots }) => ({ block: blockOf(rows, slots), sign }));
      const sum = sumBlocks(blocks, { splits, dimensions });
      const expected = plainSums(
        parts.flatMap(({ rows, sign }) => rows.map((one) => ({ row: one, sign }))),
        false,
      );
      assert.deepEqual(contents(sum), expected);
      assert.deepEqual(contents(decodeBlock(encodeBlock(sum))), expected);
    }),
  );
});

test('a sum that could not be exact is refused instead of rounded', () => {
  const large = (number: number) =>
    blockOf([{ split: 0, slot: 0, entity: 1, values: [number, 0, 0, 0] }], false);
  const most = Number.MAX_SAFE_INTEGER;
  assert.equal(sumBlocks([{ block: large(most), sign: 1 }], { splits, dimensions }).columns[0]?.[0], most);
  const refused = (error: unknown) => hasCode(error, 'too-large') && /2\^53/.test(error.message);
  const both = [most, 1].map((number) => ({ block: large(number), sign: 1 }));
  assert.throws(() => sumBlocks(both, { splits, dimensions }), refused);
  const table = new SumTable(1);
  table.add(table.place(0, 0, 0), 0, most);
  assert.throws(() => table.add(table.place(0, 0, 1), 0, 1), refused);
});
