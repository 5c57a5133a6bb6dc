import assert from 'node:assert/strict';
import { test } from 'node:test';
import { boxAround } from '../image/box.ts';
import type { Line, Page, Region } from '../page/page.ts';
import { divideColumns } from './divide-columns.ts';
import { inColumnOrder } from './reading-order.ts';

/** A block of lines; a word is 60 wide, and each number in a line says where one begins. */
function block(top: number, ...lines: number[][]): Region {
  const made = lines.map((lefts, at): Line => {
    const words = lefts.map((left) => ({
      text: `w${left}`,
      box: { left, top: top + 40 * at, width: 60, height: 30 },
    }));
    return { words, box: boxAround(words.map(({ box }) => box)) };
  });
  const box = boxAround(made.map((line) => line.box));
  return { kind: 'text', box, paragraphs: [{ box, lines: made }] };
}

const column = (left: number) => Array.from({ length: 5 }, () => [left, left + 70, left + 140, left + 210]);
const pageOf = (...regions: Region[]): Page => ({ width: 800, height: 1000, regions });
const above = [block(100, ...column(50)), block(100, ...column(400))];

test('a block over a gutter that stands between columns elsewhere is divided there', () => {
  const merged = block(400, [50, 120, 190, 400, 470], [50, 120, 400], [50, 120]);
  const { regions } = divideColumns(pageOf(...above, merged));
  assert.equal(regions.length, 4);
  const texts = regions
    .slice(2)
    .map(({ paragraphs }) => paragraphs[0]?.lines.map(({ words }) => words.length) ?? []);
  assert.deepEqual(texts, [
    [3, 2, 2],
    [2, 1],
  ]);
});

test('a headline, and rows of a table without columns above, stay whole', () => {
  const headline = block(20, [200, 270, 340, 410], [200, 270, 345, 410]);
  assert.equal(divideColumns(pageOf(headline, ...above)).regions.length, 3);
  const table = block(400, [50, 120, 400], [50, 120, 400], [50, 120, 400]);
  assert.equal(divideColumns(pageOf(table)).regions.length, 1);
});

test('small blocks beside a gutter down the whole page are read left first, and merged ones are divided', () => {
  const rows = Array.from({ length: 6 }, (_, at) => [
    block(100 + 100 * at, [50, 120, 190], [50, 120]),
    block(110 + 100 * at, [450, 520], [450, 520, 590]),
  ]).flat();
  const merged = block(700, [50, 120, 450, 520], [50, 120, 450]);
  const page = inColumnOrder(divideColumns(pageOf(...rows, merged)));
  const sides = page.regions.map(({ box }) => (box.left < 400 ? 'left' : 'right'));
  assert.deepEqual(sides, [...Array(7).fill('left'), ...Array(7).fill('right')]);
  const table = Array.from({ length: 12 }, (_, at) => block(100 + 60 * at, [50, 120, 450, 520]));
  assert.equal(inColumnOrder(divideColumns(pageOf(...table))).regions.length, 12, 'rows stay rows');
});
