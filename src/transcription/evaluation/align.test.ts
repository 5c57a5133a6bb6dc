import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { align, editDistance, type Stretch } from './align.ts';

/** The textbook algorithm, cell by cell. */
function plainDistance(a: readonly string[], b: readonly string[]): number {
  let row = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (const [index, symbol] of a.entries()) {
    const next = [index + 1];
    for (const [column, other] of b.entries()) {
      const diagonal = (row[column] ?? 0) + (symbol === other ? 0 : 1);
      next.push(Math.min(diagonal, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}

/** Lists of a few different symbols, so that many alignments exist; longer than a machine word. */
const list = fc
  .integer({ min: 1, max: 4 })
  .chain((symbols) =>
    fc.array(fc.constantFrom(...['a', 'b', 'č', '😀'].slice(0, symbols)), { maxLength: 150, size: 'max' }),
  );

const length = ([from, to]: readonly [number, number]) => to - from;
const cost = (stretch: Stretch) =>
  stretch.kind === 'equal' ? 0 : Math.max(length(stretch.truth), length(stretch.found));

test('the distance equals that of the textbook algorithm', () => {
  fc.assert(
    fc.property(list, list, (a, b) => {
      assert.equal(editDistance(a, b), plainDistance(a, b));
    }),
    { numRuns: 300 },
  );
});

test('an alignment is complete, in order and minimal, in one table or in parts', () => {
  fc.assert(
    fc.property(list, list, fc.constantFrom(2 ** 28, 500, 1), (a, b, tableBits) => {
      const stretches = align(a, b, tableBits);
      let [i, j] = [0, 0];
      for (const { kind, truth, found } of stretches) {
        assert.deepEqual([truth[0], found[0]], [i, j]);
        [i, j] = [truth[1], found[1]];
        if (kind === 'equal') assert.deepEqual(a.slice(...truth), b.slice(...found));
        if (kind === 'missing') assert.equal(length(found), 0);
        if (kind === 'added') assert.equal(length(truth), 0);
        if (kind === 'replaced') assert.equal(length(truth), length(found));
      }
      assert.deepEqual([i, j], [a.length, b.length]);
      const differences = stretches.reduce((sum, stretch) => sum + cost(stretch), 0);
      assert.equal(differences, plainDistance(a, b));
    }),
    { numRuns: 300 },
  );
});

test('stretches are as long as they can be', () => {
  assert.deepEqual(align(Array.from('kůň běží'), Array.from('kun běží dál')), [
    { kind: 'equal', truth: [0, 1], found: [0, 1] },
    { kind: 'replaced', truth: [1, 3], found: [1, 3] },
    { kind: 'equal', truth: [3, 8], found: [3, 8] },
    { kind: 'added', truth: [8, 8], found: [8, 12] },
  ]);
});

test('a page of ten thousand characters against one that has nothing in common', () => {
  const page = (letter: string) => Array.from({ length: 10_000 }, (_, index) => `${letter}${index % 50}`);
  assert.equal(editDistance(page('a'), page('b')), 10_000);
  assert.equal(align(page('a'), page('b')).length, 1);
});
