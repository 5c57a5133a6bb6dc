import assert from 'node:assert/strict';
import { test } from 'node:test';
import { foldedText, foldedWords } from '../text/fold.ts';
import { parseQuery, toFts5, toTsquery } from './query.ts';
import { snippetOf } from './snippet.ts';

test('words are compared without case and accents, however they are encoded', () => {
  assert.equal(foldedText('Příliš ŽLUŤOUČKÝ kůň'), 'prilis zlutoucky kun');
  assert.equal(foldedText('Pr\u030cíliš'.normalize('NFD')), 'prilis');
  assert.equal(foldedText('Straße, Łódź; ﬁne — 5'), 'strasse lodz fine 5');
  assert.equal(foldedText('  \n"*^:()  '), '');
});

test('a query has words, phrases and prefixes; anything else is a separator', () => {
  assert.deepEqual(parseQuery('Císař "František  Josef" praž*'), [
    { words: ['cisar'], prefix: false },
    { words: ['frantisek', 'josef'], prefix: false },
    { words: ['praz'], prefix: true },
  ]);
  assert.deepEqual(parseQuery('c.k. "open phrase'), [
    { words: ['c', 'k'], prefix: false },
    { words: ['open', 'phrase'], prefix: false },
  ]);
  for (const nothing of ['', '***', '""', '" - "', '()&|!'])
    assert.throws(() => parseQuery(nothing), /at least one word/);
});

test('a repeated word counts once, and too many different words are refused with the limit', () => {
  assert.deepEqual(parseQuery('kůň Kun "kun" kun* kun*'), [
    { words: ['kun'], prefix: false },
    { words: ['kun'], prefix: true },
  ]);
  assert.equal(parseQuery('a '.repeat(500)).length, 1);
  const different = (count: number) => Array.from({ length: count }, (_, index) => `w${index}`).join(' ');
  assert.equal(parseQuery(different(16)).length, 16);
  assert.throws(() => parseQuery(different(17)), /at most 16 different words.*these are 17/);
  assert.throws(() => parseQuery(`"${different(51)}"`), /50 words in all/);
});

test('database queries contain nothing from the user that could be syntax', () => {
  const terms = parseQuery(`a'b "x' OR 1" NEAR(c) d* -e ^f col:g 'h':* \\ & | !`);
  assert.match(toFts5(terms), /^("[a-z0-9 ]+"( \*)?( AND )?)+$/);
  assert.match(toTsquery(terms), /^(\(('[a-z0-9]+'(:\*)?( <-> )?)+\)( & )?)+$/);
});

test('a snippet shows the words around the first hit, and marks the hit', () => {
  const text = `${'slovo '.repeat(50)}tu stojí\nKůň Žlutý a ${'konec '.repeat(50)}`;
  const { text: shown, marks } = snippetOf(text, parseQuery('"kun zluty"'));
  assert.deepEqual(
    marks.map(({ start, end }) => shown.slice(start, end)),
    ['Kůň', 'Žlutý'],
  );
  assert.ok(shown.length < 200 && !shown.includes('\n'));
  assert.equal(foldedWords('žlutý kůň')[1]?.start, 6);
});
