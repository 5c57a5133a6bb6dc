import assert from 'node:assert/strict';
import { test } from 'node:test';
import { linesOf, pathOf, piecesOf } from './search-hits.ts';

test('found words are marked in their snippet, whatever order the marks have', () => {
  const pieces = piecesOf('a císař b císař', [
    { start: 10, end: 15 },
    { start: 2, end: 7 },
  ]);
  assert.deepEqual(
    pieces.map(({ text, marked }) => (marked ? `[${text}]` : text)),
    ['a ', '[císař]', ' b ', '[císař]'],
  );
  assert.deepEqual(piecesOf('plain', []), [{ text: 'plain', marked: false }]);
});

test('a hit shows its first lines once, with all words found in them', () => {
  const box = (left: number, top: number) => ({ left, top, width: 10, height: 10 });
  const place = (lineNumber: number, left: number) => ({
    text: 'x',
    box: box(left, lineNumber * 20),
    line: box(0, lineNumber * 20),
    lineNumber,
  });
  const { lines, more } = linesOf([place(7, 5), place(2, 1), place(2, 30), place(9, 4)], 2);
  assert.deepEqual(
    lines.map(({ number, words }) => [number, words.length]),
    [
      [2, 2],
      [7, 1],
    ],
  );
  assert.equal(more, 1);
  assert.deepEqual(linesOf(undefined, 3), { lines: [], more: 0 });
});

test('a hit opens the viewer at its word', () => {
  const path = pathOf({ document: 'd1', page: 12 }, 'císař "František Josef"', {
    left: 4,
    top: 8,
    width: 1,
    height: 1,
  });
  const [place, query] = path.split('?');
  assert.equal(place, 'transcription/documents/d1/12');
  const parts = new URLSearchParams(query);
  assert.deepEqual([parts.get('find'), parts.get('at')], ['císař "František Josef"', '4,8']);
});
