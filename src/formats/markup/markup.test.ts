import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { cpuTime } from '../../engine/testing/cpu-time.ts';
import { escapeHtml, escapeXml } from './escape.ts';
import { readXml } from './read-xml.ts';
import { scanHtml } from './scan.ts';
import { parseXml } from './testing/xml-tree.ts';
import { createXmlWriter } from './write-xml.ts';

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

test('markup that begins again and again is read at once', async () => {
  const many = 200_000;
  const reader = { open() {}, close() {}, text() {}, raw() {} };
  for (const token of [
    '<![CDATA[]>',
    '<![CDATA[',
    '<!--',
    '<a',
    '<a b="',
    '<title>',
    '<noscript>',
    '<script><!--',
    '</',
    '&#',
  ])
    for (const xml of [false, true]) {
      const spent = await cpuTime(() => scanHtml(token.repeat(many), reader, { xml }));
      assert.ok(spent < 1000, `${spent} ms for ${token}, xml: ${xml}`);
    }
});

test('a CDATA section ends where it ends, also after one that is not closed before', () => {
  const texts: string[] = [];
  readXml('<a><![CDATA[1<b>]]>2<![CDATA[3]]></a><![CDATA[4', { text: (text) => texts.push(text) });
  assert.deepEqual(texts, ['1<b>', '2', '3', '']);
});

test('text from outside can not become markup', () => {
  assert.equal(escapeHtml(`<a href="x" title='y'>&`), '&lt;a href=&#34;x&#34; title=&#39;y&#39;&gt;&amp;');
  assert.equal(escapeXml('<a\n"\0'), '&lt;a&#10;&quot;');
});
