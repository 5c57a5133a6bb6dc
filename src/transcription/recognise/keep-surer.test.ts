import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Line, Page } from '../page/page.ts';
import { toText } from '../text/text.ts';
import { keepSurer, linesOf } from './keep-surer.ts';

/** Each line: its text, the confidence of its words, and where it begins. */
function pageOf(...lines: [text: string, confidence: number, top: number][]): Page {
  const made = lines.map(([text, confidence, top]): Line => {
    const box = { left: 100, top, width: 600, height: 30 };
    const words = text
      .split(' ')
      .map((word, at) => ({ text: word, confidence, box: { ...box, left: 100 + at * 100, width: 90 } }));
    return { box, words };
  });
  const box = { left: 100, top: 0, width: 600, height: 1000 };
  const paragraphs = [{ box, lines: made }];
  return { width: 800, height: 1000, regions: made.length === 0 ? [] : [{ kind: 'text', box, paragraphs }] };
}

const textOf = (page: Page) => toText(page).trim().split(/\n+/);

test('of two readings of a line the surer one is kept', () => {
  const first = pageOf(['kniha o lese', 0.95, 100], ['a0 vrch u', 0.4, 140]);
  const second = pageOf(['kniha 0 lesc', 0.6, 100], ['a na vrchu', 0.9, 141]);
  const { page, replaced } = keepSurer(first, second);
  assert.deepEqual(textOf(page), ['kniha o lese', 'a na vrchu']);
  assert.equal(replaced, 1);
});

test('as long as the second reading is not clearly surer, the first one stays', () => {
  const { page, second } = keepSurer(pageOf(['kniha o lese', 0.8, 100]), pageOf(['kniha 0 lese', 0.81, 100]));
  assert.deepEqual(textOf(page), ['kniha o lese']);
  assert.equal(second, false);
});

test('a reading without text never replaces one with text', () => {
  const { page } = keepSurer(pageOf(['kniha o lese', 0.4, 100]), pageOf());
  assert.deepEqual(textOf(page), ['kniha o lese']);
  assert.deepEqual(textOf(keepSurer(pageOf(), pageOf(['kniha o lese', 0.4, 100])).page), ['kniha o lese']);
});

test('a line that only the other reading has found is added if it is sure, and left out if not', () => {
  const first = pageOf(['kniha o lese', 0.95, 100], ['a na vrchu', 0.95, 140]);
  const second = pageOf(['kniha o lese', 0.9, 100], ['konec knihy', 0.9, 300], ['xj ~w', 0.3, 400]);
  const { page, added } = keepSurer(first, second);
  assert.deepEqual(textOf(page), ['kniha o lese', 'a na vrchu', 'konec knihy']);
  assert.equal(added, 1);
});

test('a few sure pieces of lines never replace a reading with far more text that is a little less sure', () => {
  const full = pageOf(
    ['votre enfant grandit', 0.94, 100],
    ['la formation de ses os', 0.94, 140],
    ['dans la fabrication duquel', 0.94, 180],
    ['cqnrs', 0.5, 400],
  );
  const pieces = pageOf(['votre enf', 0.99, 100], ['la form', 0.99, 140], ['duquel', 0.99, 180]);
  for (const { box } of linesOf(pieces)) box.width = 150;
  assert.deepEqual(textOf(keepSurer(pieces, full).page).slice(0, 3), textOf(full).slice(0, 3));
});
