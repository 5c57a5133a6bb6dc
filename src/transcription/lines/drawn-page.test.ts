import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Component } from '../image/components.ts';
import type { Grey } from '../image/grey.ts';
import { type FoundLine, findLines } from './find-lines.ts';
import { findMarks } from './marks.ts';
import { partTouching } from './part-touching.ts';

/** A page on which each letter is a box with a bar, `height` pixels high and half as wide. */
function drawPage(width: number, height: number) {
  const page: Grey = { data: new Uint8Array(width * height).fill(255), width, height };
  const fill = (left: number, top: number, across: number, down: number) => {
    for (let y = top; y < top + down; y++) page.data.fill(0, y * width + left, y * width + left + across);
  };
  const letter = (left: number, foot: number, size: number) => {
    const across = Math.round(size * 0.6);
    const stroke = Math.max(2, Math.round(size / 8));
    fill(left, foot - size, stroke, size);
    fill(left + across - stroke, foot - size, stroke, size);
    fill(left, foot - size, across, stroke);
    return across;
  };
  /** Words of five letters; gives the right end. */
  const line = (left: number, foot: number, words: number, size: number): number => {
    let x = left;
    for (let word = 0; word < words; word++) {
      for (let one = 0; one < 5; one++) x += letter(x, foot, size) + Math.round(size / 4);
      if (word < words - 1) x += size;
    }
    return x - Math.round(size / 4);
  };
  return { page, fill, letter, line };
}

const starts = ({ baseline }: FoundLine) => baseline[0]?.x ?? 0;
const ends = ({ baseline }: FoundLine) => baseline.at(-1)?.x ?? 0;
const foot = ({ baseline }: FoundLine) => baseline[0]?.y ?? 0;

test('letters of two lines that touch are parted between the lines; a drop capital and a headline stay whole', () => {
  const { page, fill, line } = drawPage(700, 400);
  fill(10, 30, 22, 36);
  for (const y of [42, 66, 90, 114]) line(40, y, 8, 12);
  fill(140, 78, 20, 36);
  line(40, 300, 3, 40);
  const data = page.data.map((shade) => (shade === 0 ? 1 : 0));
  const ink = { data, width: page.width, height: page.height, factor: 1, letter: 12 };
  const { letters } = findMarks(ink);
  const parted = partTouching(ink, letters);
  const changed = (some: readonly Component[], others: readonly Component[]) =>
    some.filter(
      (one) =>
        !others.some(
          ({ left, top, height }) => left === one.left && top === one.top && height === one.height,
        ),
    );
  assert.deepEqual(
    changed(letters, parted).map(({ top, height }) => [top, height]),
    [[78, 36]],
  );
  const [upper, lower] = changed(parted, letters);
  assert.ok(upper && lower && upper.top === 78 && upper.top + upper.height === lower.top);
  assert.ok(lower.top >= 90 && lower.top <= 102 && lower.top + lower.height === 114);
});

test('columns of small type below a text in large type are told apart', () => {
  const { page, line } = drawPage(1000, 760);
  for (let row = 0; row < 14; row++) line(40, 60 + row * 32, 10, 16);
  let middle = 0;
  for (let row = 0; row < 9; row++) {
    const end = line(40, 540 + row * 19, 8, 9);
    const start = end + 45;
    middle = (end + start) / 2;
    line(start, 540 + row * 19, 8, 9);
  }
  const small = findLines(page).lines.filter((one) => foot(one) > 500);
  assert.equal(small.length, 18);
  assert.ok(small.every((one) => ends(one) < middle || starts(one) > middle));
});

test('a hyphen at the end of a column and the dashes beside a page number belong to their lines', () => {
  const { page, fill, line } = drawPage(900, 700);
  const number = line(420, 40, 1, 12);
  fill(380, 32, 18, 3);
  fill(number + 22, 32, 18, 3);
  let end = 0;
  for (let row = 0; row < 20; row++) {
    end = line(40, 100 + row * 26, 6, 12);
    line(end + 60, 100 + row * 26, 6, 12);
    if (row % 2 === 1) fill(end + 5, 100 + row * 26 - 6, 7, 3);
  }
  const { lines } = findLines(page);
  const [head] = lines.filter((one) => foot(one) < 60);
  assert.ok(head && starts(head) <= 380 && ends(head) >= number + 40);
  const left = lines.filter((one) => foot(one) > 60 && starts(one) < end);
  assert.equal(left.length, 20);
  assert.equal(left.filter((one) => ends(one) >= end + 12).length, 10, 'with a hyphen');
});

test('a title in letters fifteen times as high as the text is a line, and a lone large sign a picture', () => {
  const { page, letter, line } = drawPage(1200, 900);
  for (let row = 0; row < 14; row++) line(100, 500 + row * 24, 14, 10);
  let x = 100;
  for (let one = 0; one < 8; one++) x += letter(x, 200, 150) + 20;
  letter(900, 430, 150);
  const { lines, pictures } = findLines(page);
  assert.equal(lines.filter((one) => foot(one) < 450).length, 1);
  assert.ok(lines.some((one) => Math.abs(foot(one) - 200) < 5 && ends(one) - starts(one) > 700));
  assert.equal(pictures.length, 1);
});

test('a name before a long row of leader dots is a line', () => {
  const { page, fill, line } = drawPage(900, 700);
  for (let row = 0; row < 14; row++) line(40, 40 + row * 26, 10, 12);
  for (let row = 0; row < 6; row++) {
    const end = line(40, 460 + row * 30, 1, 12);
    for (let dot = 0; dot < 30; dot++) fill(end + 14 + dot * 20, 454 + row * 30, 6, 6);
  }
  const names = findLines(page).lines.filter((one) => foot(one) > 440 && starts(one) < 60);
  assert.equal(names.length, 6);
});
