import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decode } from './decode.ts';
import { asLine, splitWords } from './words.ts';

const letters = ['', ' ', 'a', 'l', 'ä', '\u0364'];

/** Each column has its likeliest letter with this probability. */
function answer(columns: string, probability = 0.9) {
  const data = new Float32Array(columns.length * letters.length);
  for (const [column, letter] of [...columns].entries()) {
    const best = Math.max(0, letters.indexOf(letter === '.' ? '' : letter));
    for (let one = 0; one < letters.length; one++)
      data[column * letters.length + one] = Math.log(one === best ? probability : (1 - probability) / 5);
  }
  return { data, columns: columns.length, classes: letters.length };
}

test('repeats are one letter unless a blank parts them', () => {
  const read = decode(answer('.aa.ll.l..a'), letters);
  assert.equal(read.map(({ text }) => text).join(''), 'alla');
  assert.deepEqual([read[0]?.start, read[0]?.end], [1, 3]);
});

test('words end at spaces, and are as sure as all their letters together', () => {
  const words = splitWords(decode(answer('aa l..  .la', 0.8), letters));
  assert.deepEqual(
    words.map(({ text }) => text),
    ['a', 'l', 'la'],
  );
  const sure = words.map(({ confidence }) => confidence.toFixed(3));
  assert.deepEqual(sure, ['0.800', '0.800', '0.640']);
  assert.deepEqual(splitWords(decode(answer('....'), letters)), []);
});

test('an umlaut has one mark: the small e of old books, if the network saw it', () => {
  const words = splitWords(decode(answer('ä.\u0364 a.\u0364 ä'), letters));
  assert.deepEqual(
    words.map(({ text }) => text),
    ['a\u0364', 'a\u0364', 'ä'],
  );
});

test('the box of a word ends at its letters, even thin ones on dark paper', () => {
  const [width, height] = [200, 40];
  const data = new Uint8Array(width * height).fill(150);
  for (let y = 10; y < 30; y++) data.fill(110, y * width + 60, y * width + 120);
  const strip = {
    data,
    width,
    height,
    placeOf: (column: number) => ({ x: 500 + column, top: 7, bottom: 47 }),
  };
  const letters = [{ text: 'a', start: 15, end: 30, confidence: 1 }];
  const found = {
    baseline: [
      { x: 500, y: 40 },
      { x: 700, y: 40 },
    ],
    ascent: 20,
    descent: 5,
    body: 15,
  };
  const line = asLine(letters, strip, found, { width: 1000, height: 100 });
  assert.deepEqual(line?.words[0]?.box, { left: 560, top: 7, width: 60, height: 40 });
});
