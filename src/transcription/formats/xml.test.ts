import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseXml } from './testing/xml-tree.ts';
import { createXmlWriter } from './xml.ts';

/** By the character ranges of the standard. */
function legal(text: string): string {
  const allowed = (code: number) =>
    [0x9, 0xa, 0xd].includes(code) || (code >= 0x20 && code !== 0xfffe && code !== 0xffff);
  return Array.from(text.toWellFormed())
    .filter((character) => allowed(character.codePointAt(0) ?? 0))
    .join('');
}

test('any text comes back unchanged, except for characters that XML forbids', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (attribute, text) => {
      const xml = createXmlWriter();
      xml.element('a', { b: attribute, none: undefined }, () => xml.element('c', {}, text));
      const root = parseXml(xml.toString());
      assert.deepEqual(root.attributes, { b: legal(attribute) });
      assert.equal(root.children[0]?.text, legal(text));
    }),
  );
});

test('half of a surrogate pair is dropped', () => {
  const xml = createXmlWriter();
  xml.element('a', { b: 'x\ud800y' }, '\udc00z\0]]>');
  const { attributes, text } = parseXml(xml.toString());
  assert.deepEqual([attributes.b, text], ['xy', 'z]]>']);
});
