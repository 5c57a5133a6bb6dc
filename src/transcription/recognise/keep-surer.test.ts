import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Line, Page } from '../page/page.ts';
import { toText } from '../text/text.ts';
import { keepSurer } from './keep-surer.ts';

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
