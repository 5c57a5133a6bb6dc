import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Box, Line, Page, Region } from '../page/page.ts';
import { inReadingOrder } from './reading-order.ts';
import { rejoinLines } from './rejoin-lines.ts';

function block(name: string, left: number, top: number, width: number, lines: number): Region {
  const box = { left, top, width, height: lines * 40 };
  const made = Array.from({ length: lines }, (_, at): Line => {
    const place = { left, top: top + at * 40, width, height: 32 };
    return { box: place, words: [{ text: name, box: place }] };
  });
  return { kind: 'text', box, paragraphs: [{ box, lines: made }] };
}

const rule = (left: number, top: number, width: number): Region => ({
  kind: 'separator',
  box: { left, top, width, height: 4 },
  paragraphs: [],
});

function orderOf(...regions: Region[]): string[] {
  const page: Page = { width: 2000, height: 3000, regions };
  return inReadingOrder(page)
    .regions.filter(({ kind }) => kind === 'text')
    .map(({ paragraphs }) => paragraphs[0]?.lines[0]?.words[0]?.text ?? '');
}

test('the rest of a column comes before the next column', () => {
  const [a, b, c, d] = [
    block('a', 0, 300, 600, 20),
    block('b', 0, 1200, 600, 20),
    block('c', 700, 300, 600, 10),
    block('d', 700, 800, 600, 30),
  ];
  assert.deepEqual(orderOf(a, c, d, b), ['a', 'b', 'c', 'd']);
});

test('a headline across the columns comes first, one in the middle divides them', () => {
  const head = block('head', 100, 100, 1100, 1);
  const middle = block('middle', 100, 1000, 1100, 1);
  const [a, b] = [block('a', 0, 300, 600, 12), block('b', 700, 300, 600, 12)];
  const [c, d] = [block('c', 0, 1100, 600, 12), block('d', 700, 1100, 600, 12)];
  assert.deepEqual(orderOf(d, b, c, a, middle, head), ['head', 'a', 'b', 'middle', 'c', 'd']);
});

test('a rule across the columns divides them', () => {
  const [a, b] = [block('a', 0, 300, 600, 12), block('b', 700, 300, 600, 12)];
  const [c, d] = [block('c', 0, 900, 600, 12), block('d', 700, 900, 600, 12)];
  assert.deepEqual(orderOf(a, c, b, d), ['a', 'c', 'b', 'd']);
  assert.deepEqual(orderOf(a, c, b, d, rule(0, 850, 1300)), ['a', 'b', 'c', 'd']);
});

test('blocks whose relations run in a circle keep the order of the recogniser', () => {
  const blocks = [
    block('a', 2708, 1766, 709, 1),
    block('b', 2517, 1872, 900, 3),
    block('c', 1578, 3246, 1148, 5),
    block('d', 1838, 3959, 724, 5),
    block('e', 2695, 3952, 724, 4),
  ];
  assert.deepEqual(orderOf(...blocks), ['a', 'b', 'c', 'd', 'e']);
});

test('without columns the order of the recogniser stays: it has only cut lines apart', () => {
  const [a, b] = [block('a', 0, 300, 400, 1), block('b', 500, 300, 400, 1)];
  const [c, d] = [block('c', 0, 340, 400, 1), block('d', 500, 340, 400, 1)];
  assert.deepEqual(orderOf(a, b, c, d), ['a', 'b', 'c', 'd']);
});

test('words torn out of a line are put back where they stand', () => {
  const word = (text: string, left: number, top: number) => {
    const box: Box = { left, top, width: 90, height: 30 };
    return { text, box };
  };
  const line = (...words: ReturnType<typeof word>[]): Line => {
    const [first, last] = [words[0]?.box, words.at(-1)?.box];
    assert.ok(first && last);
    return { box: { ...first, width: last.left + last.width - first.left }, words };
  };
  const region = (...lines: Line[]): Region => {
    const box = { left: 0, top: lines[0]?.box.top ?? 0, width: 700, height: lines.length * 40 };
    return { kind: 'text', box, paragraphs: [{ box, lines }] };
  };
  const home = region(
    line(word('Byl', 0, 0), word('máj', 300, 0)),
    line(word('večerní', 0, 40), word('čas', 100, 40)),
  );
  const torn = { ...region(line(word('první', 200, 2))), box: { left: 200, top: 2, width: 90, height: 30 } };
  const { regions } = rejoinLines({ width: 800, height: 100, regions: [home, torn] });
  assert.equal(regions.length, 1);
  const texts = regions[0]?.paragraphs[0]?.lines.map(({ words }) => words.map(({ text }) => text).join(' '));
  assert.deepEqual(texts, ['Byl první máj', 'večerní čas']);
});
