import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { anyPage, samplePage } from '../formats/testing/pages.ts';
import { toText } from './text.ts';

test('line breaks and hyphens stay, and an empty line separates paragraphs', () => {
  assert.equal(
    toText(samplePage()),
    'Příliš žluťoučký kůň úpěl\nďábelské ódy; „Łódź“ & <Straße> 😀\n\nRok 1923 byl obzvláš-\ntě suchý.\n\nobilí 12 q\n',
  );
});

test('an empty page gives an empty text', () => {
  assert.equal(toText({ width: 1, height: 1, regions: [] }), '');
});

test('the text of any page has no control characters, empty lines in paragraphs or trailing spaces', () => {
  fc.assert(
    fc.property(anyPage, (page) => {
      const text = toText(page);
      assert.doesNotMatch(text.replaceAll('\n', ''), /\p{Cc}/u);
      assert.doesNotMatch(text, /\n{3}|[^\S\n]$/mu);
      assert.match(text, /^(\S.*\n)?$/su);
    }),
  );
});
