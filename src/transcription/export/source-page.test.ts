import assert from 'node:assert/strict';
import { test } from 'node:test';
import { samplePage } from '../formats/testing/pages.ts';
import { page as pageSchema } from '../page/page.ts';
import { turnAndScale } from '../page/transformation.ts';
import { inSource } from './source-page.ts';

const size = ({ width, height }: { width: number; height: number }) => ({ width, height });
/** A page in pixels of the prepared image. */
const readPage = ({ image }: ReturnType<typeof turnAndScale>) => ({ ...samplePage(), ...image });
const firstWord = (page: ReturnType<typeof samplePage>) => page.regions[0]?.paragraphs[0]?.lines[0]?.words[0];

test('for an enlarged image, places and resolution are those of the smaller source', () => {
  const source = { width: 827, height: 1170 };
  const transformation = turnAndScale(source, 0, 0, 2);
  const page = inSource(readPage(transformation), transformation);
  assert.deepEqual(size(page), source);
  assert.equal(page.dpi, 100);
  assert.deepEqual(firstWord(page)?.box, { left: 50, top: 50, width: 48, height: 15 });
});

test('for a page scanned sideways, boxes and baselines are mapped onto the source', () => {
  const source = { width: 2339, height: 1654 };
  const transformation = turnAndScale(source, 90, 0, 1);
  const page = inSource(readPage(transformation), transformation);
  assert.deepEqual(size(page), source);
  assert.equal(page.turn, 90);
  // 100 to 196 from the left and 100 to 130 from the top, before it was turned clockwise.
  assert.deepEqual(firstWord(page)?.box, { left: 100, top: 1654 - 196, width: 30, height: 96 });
  const [first, last] = page.regions[0]?.paragraphs[0]?.lines[1]?.baseline ?? [];
  assert.ok(first !== undefined && last !== undefined && first.y > last.y, 'the text runs upwards');
});

test('for a slightly rotated page, every box still contains its place, and the page is valid', () => {
  const source = { width: 1600, height: 2300 };
  const transformation = turnAndScale(source, 0, 1.5, 1);
  const page = inSource(readPage(transformation), transformation);
  assert.deepEqual(pageSchema.parse(page), page);
  const box = firstWord(page)?.box;
  assert.ok(box !== undefined && box.width >= 96 && box.width < 100 && box.height >= 30 && box.height < 36);
});

test('a page that was not prepared stays unchanged', () => {
  const elsewhere = turnAndScale({ width: 100, height: 100 }, 0, 0, 1);
  assert.deepEqual(inSource(samplePage(), undefined), samplePage());
  assert.deepEqual(inSource(samplePage(), elsewhere), samplePage());
});

test('a half turn and a small skew are told apart, and what was done is kept', () => {
  const source = { width: 1600, height: 2300 };
  const steps = [{ name: 'turn' as const, why: 'upside down' }];
  const sheet = { left: 20, top: 30, width: 1500, height: 2200 };
  const transformation = { ...turnAndScale(source, 180, 1.5, 1), steps, sheet };
  const unread = { lines: 2, boxes: [{ left: 0, top: 0, width: 100, height: 50 }] };
  const page = inSource({ ...readPage(transformation), unread }, transformation);
  assert.deepEqual([page.turn, page.steps, page.border], [180, ['turn: upside down'], sheet]);
  const [place] = page.unread?.boxes ?? [];
  assert.ok(
    place && place.left > 1400 && place.top > 2100,
    'what is unread lies at the other end of the source',
  );
});
