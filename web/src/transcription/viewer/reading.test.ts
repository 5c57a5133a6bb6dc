import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findWords } from './find-words.ts';
import { isDoubtful, nextWord, readingOf, wordAt, wordFrom, wordInNextLine } from './reading.ts';

/** Two lines of a paragraph, and one of the next: "Léta Páně | tisícího osmi | stého". */
const reading = readingOf({
  lines: [
    {
      box: [100, 100, 400, 40],
      paragraph: 0,
      kind: 'text',
      confidence: 0.9,
      words: [
        ['Léta', 100, 100, 150, 40, 0.95],
        ['Páně,', 300, 100, 200, 40, 0.5],
      ],
    },
    {
      box: [100, 150, 400, 40],
      paragraph: 0,
      kind: 'text',
      confidence: 0.9,
      words: [
        ['tisícího', 100, 150, 180, 40, null],
        ['osmi', 320, 150, 180, 40, 0.6],
      ],
    },
    {
      box: [100, 220, 200, 40],
      paragraph: 1,
      kind: 'text',
      confidence: 0.9,
      words: [['stého', 100, 220, 200, 40, 0.99]],
    },
  ],
});
const doubtful = (word: { confidence: number | null }) => isDoubtful(word, 0.7);

test('a click finds its word, beside a word the nearest of the line, and nothing between lines', () => {
  assert.equal(wordAt(reading, 400, 120)?.text, 'Páně,');
  assert.equal(wordAt(reading, 305, 170)?.text, 'osmi');
  assert.equal(wordAt(reading, 120, 205), undefined);
  assert.equal(wordFrom(reading, 320, 150)?.number, 3);
  assert.equal(wordFrom(reading, 1, 1), undefined);
});

test('one key leads from doubtful word to doubtful word, in both directions, and says when there is none', () => {
  const first = nextWord(reading, undefined, doubtful);
  assert.equal(first?.text, 'Páně,');
  assert.equal(nextWord(reading, first?.number, doubtful)?.text, 'osmi');
  assert.equal(nextWord(reading, 3, doubtful), undefined);
  assert.equal(nextWord(reading, 3, doubtful, -1)?.text, 'Páně,');
});

test('the arrows lead to the word below and above', () => {
  assert.equal(wordInNextLine(reading, 1, 1)?.text, 'osmi');
  assert.equal(wordInNextLine(reading, 3, 1)?.text, 'stého');
  assert.equal(wordInNextLine(reading, 4, 1), undefined);
  assert.equal(wordInNextLine(reading, 2, -1)?.text, 'Léta');
  assert.equal(wordInNextLine(reading, undefined, 1)?.text, 'Léta');
});

test('paragraphs stand apart, and a word without a confidence is not called doubtful', () => {
  assert.deepEqual(
    reading.lines.map(({ beginsParagraph }) => beginsParagraph),
    [false, false, true],
  );
  assert.equal(doubtful({ confidence: null }), false);
});

test('what search found is marked: without accents and case, phrases across lines, beginnings', () => {
  const marked = (words: string) => [...findWords(reading.words, words)];
  assert.deepEqual(marked('LETA'), [0]);
  assert.deepEqual(marked('pane'), [1], 'the comma is no part of the word');
  assert.deepEqual(marked('"páně tisícího" sté*'), [1, 2, 4]);
  assert.deepEqual(marked('"páně osmi"'), []);
  assert.deepEqual(marked('"osmi sté"*'), [3, 4]);
  assert.deepEqual(marked('tis'), []);
  assert.deepEqual(marked('" "'), []);
});
