import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { marked } from './differences-page.ts';
import { toSymbols } from './symbols.ts';

test('differences are marked where they are', () => {
  const html = marked(toSymbols('Byl pozdní večer\nprvní máj'), toSymbols('Byl pozdni  večer prvnímáj'));
  assert.equal(html, 'Byl pozdn<del>í</del><ins>i</ins> večer\nprvní<del>␣</del>máj');
});

test('letters compared as modern ones are shown as written', () => {
  const modern = { modernLetters: true };
  assert.equal(
    marked(toSymbols('geweſen', modern), toSymbols('gewesem', modern)),
    'geweſe<del>n</del><ins>m</ins>',
  );
});

test('markup in texts is escaped', () => {
  fc.assert(
    fc.property(
      fc.string(),
      fc.string({ unit: fc.constantFrom('<', '>', '&', '"', "'", 'script', '/') }),
      (truth, found) => {
        const html = marked(toSymbols(truth), toSymbols(found));
        assert.doesNotMatch(html.replaceAll(/<\/?(del|ins)>/g, ''), /[<>"']/);
      },
    ),
  );
});
