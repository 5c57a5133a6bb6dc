import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareTexts, errorRate, total } from './compare.ts';
import type { Normalisation } from './symbols.ts';

const characters = (truth: string, found: string, normalisation: Normalisation = {}) =>
  compareTexts(truth, found, normalisation).characters;

test('a character is what a reader sees as one, however it is encoded', () => {
  assert.deepEqual(characters('ž', 'z\u030c'), { errors: 0, length: 1 });
  assert.deepEqual(characters('👩‍👩‍👧 x', '👩‍👩‍👧 y'), { errors: 1, length: 3 });
  assert.deepEqual(characters('\ufeffa\r\nb', 'a\nb'), { errors: 0, length: 3 });
});

test('line breaks and spaces don’t count, unless asked', () => {
  assert.equal(characters(' jeden  dva\n\ntři\n', 'jeden\ndva tři').errors, 0);
  assert.equal(characters('jeden\ndva', 'jeden dva', { strictWhitespace: true }).errors, 1);
  assert.equal(characters('jeden dva', 'jedendva').errors, 1);
});

const pairs: [what: keyof Normalisation, truth: string, found: string][] = [
  ['ignoreCase', 'ŽLUŤOUČKÝ Kůň', 'žluťoučký kůň'],
  ['ignoreDiacritics', 'žluťoučký kůň', 'zlutoucky kun'],
  ['ignorePunctuation', '„Ano,“ řekl – a šel.', 'Ano řekl a šel'],
  ['sameMarks', '„Ano“ – řekl: ‚ne‘ a Kar⸗ lova', '"Ano" - řekl: \'ne\' a Kar- lova'],
  ['modernLetters', 'geweſen ﬁnden ﬅark ꝛ', 'gewesen finden stark r'],
];
for (const [what, truth, found] of pairs) {
  test(`${what}: the difference is ignored with the option, and counts without it`, () => {
    assert.equal(characters(truth, found, { [what]: true }).errors, 0);
    assert.notEqual(characters(truth, found).errors, 0);
  });
}

test('words are separated by white space', () => {
  const { words } = compareTexts('Byl pozdní večer, první máj', 'Byl pozdni večer první máj');
  assert.deepEqual(words, { errors: 2, length: 5 });
});

test('in any order: columns read the wrong way round have no wrong words, but words may lack or be too many', () => {
  const bag = (truth: string, found: string) => compareTexts(truth, found).bag;
  assert.deepEqual(bag('levý sloupec pravý sloupec', 'pravý sloupec levý sloupec'), { errors: 0, length: 4 });
  assert.deepEqual(bag('a b b', 'b'), { errors: 2, length: 3 });
  assert.deepEqual(bag('a', 'a a x'), { errors: 2, length: 1 });
});

test('long pages weigh more than short ones', () => {
  const rate = errorRate(
    total([
      { errors: 1, length: 10 },
      { errors: 0, length: 90 },
    ]),
  );
  assert.equal(rate, 0.01);
});

test('if the truth is empty, any text read is 100 % wrong', () => {
  assert.equal(errorRate(characters('', '')), 0);
  assert.equal(errorRate(characters('', 'abc')), 1);
  assert.equal(errorRate(characters('ab', 'abcdef')), 2);
});
