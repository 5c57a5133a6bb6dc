import assert from 'node:assert/strict';
import { test } from 'node:test';
import { boxAround } from '../image/box.ts';
import type { Line, Page, Region } from '../page.ts';
import { divideColumns } from './divide-columns.ts';

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
