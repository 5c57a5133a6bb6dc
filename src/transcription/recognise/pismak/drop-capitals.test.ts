import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Line } from '../../page/page.ts';
import { asCapital, joinDropCapitals } from './drop-capitals.ts';

function lineOf(text: string, left: number, top: number, height: number): Line {
  const words = text.split(' ').map((word, index) => ({
    text: word,
    confidence: 0.9,
    box: { left: left + index * 100, top, width: 90, height },
  }));
  return { box: { left, top, width: words.length * 100 - 10, height }, words };
}

/** A letter 90 pixels high that stands on y = 195, cut out with air around it. */
function capitalOf(text: string) {
  const line = lineOf(text, 10, 60, 160);
  const baseline = [
    { x: 10, y: 195 },
    { x: 100, y: 195 },
  ];
  return asCapital(line, { baseline, ascent: 126, descent: 36, body: 90 });
}

test('a drop capital is put before the first of the lines beside it', () => {
  const lines = ['he moped. She', 'wandered around', 'with the look'].map((text, row) =>
    lineOf(text, 120, 100 + row * 35, 32),
  );
  const capital = capitalOf('s');
  assert.ok(capital);
  assert.deepEqual(joinDropCapitals([capital], lines), new Set([capital.line]));
  assert.deepEqual(
    lines.map(({ words }) => words[0]?.text),
    ['She', 'wandered', 'with'],
  );
  assert.deepEqual(lines[0]?.box, { left: 10, top: 100, width: 400, height: 32 });
});

test('a large letter beside one line, or far from the text, is none', () => {
  const capital = capitalOf('A');
  assert.ok(capital);
  const far = [0, 1].map((row) => lineOf('some text', 300, 100 + row * 35, 32));
  for (const lines of [[lineOf('some text', 120, 100, 32)], far]) {
    assert.equal(joinDropCapitals([capital], lines).size, 0);
    assert.ok(lines.every(({ words }) => words[0]?.text === 'some'));
  }
  assert.equal(capitalOf('12'), undefined);
});
