import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { all, parseXml } from '../../formats/markup/testing/xml-tree.ts';
import { toAlto } from './alto.ts';
import { altoStructure } from './testing/alto-structure.ts';
import { about, anyAbout, anyPage, samplePage } from './testing/pages.ts';
import { violations } from './testing/structure.ts';

test('any page gives ALTO with the structure of the format, and with everything inside the page', () => {
  fc.assert(
    fc.property(anyPage, anyAbout, (page, about) => {
      const root = parseXml(toAlto(page, about));
      assert.deepEqual(violations(root, altoStructure), []);
      for (const name of ['TextBlock', 'TextLine', 'String', 'SP', 'Illustration']) {
        for (const { attributes } of all(root, name)) {
          const { HPOS = 0, WIDTH = 0, VPOS = 0, HEIGHT = 0 } = attributes;
          assert.ok(Number(HPOS) + Number(WIDTH) <= page.width);
          assert.ok(Number(VPOS) + Number(HEIGHT) <= page.height);
        }
      }
    }),
  );
});

test('words have places and confidence, with spaces between them', () => {
  const root = parseXml(toAlto(samplePage(), about));
  const [line] = all(root, 'TextLine');
  assert.deepEqual(line?.children.map(({ name }) => name).join(' '), 'String SP String SP String SP String');
  assert.deepEqual(line?.children[0]?.attributes, {
    ID: 'r1p1l1w1',
    HPOS: '100',
    VPOS: '100',
    WIDTH: '96',
    HEIGHT: '30',
    WC: '0.9375',
    CONTENT: 'Příliš',
  });
  assert.deepEqual(line?.children[1]?.attributes, { HPOS: '196', VPOS: '100', WIDTH: '12' });
  assert.equal(all(root, 'Page')[0]?.attributes.PHYSICAL_IMG_NR, '7');
});

test('a word hyphenated across two lines is also given as a whole', () => {
  const root = parseXml(toAlto(samplePage(), about));
  const parts = all(root, 'String').filter(({ attributes }) => 'SUBS_TYPE' in attributes);
  assert.deepEqual(
    parts.map(({ attributes: { CONTENT, SUBS_TYPE, SUBS_CONTENT } }) => [CONTENT, SUBS_TYPE, SUBS_CONTENT]),
    [
      ['obzvláš', 'HypPart1', 'obzvláště'],
      ['tě', 'HypPart2', 'obzvláště'],
    ],
  );
  assert.deepEqual(
    all(root, 'HYP').map(({ attributes }) => attributes.CONTENT),
    ['-'],
  );
});

test('the check of the structure finds what is wrong', () => {
  const right = toAlto(samplePage(), about);
  const wrong: [from: string | RegExp, to: string, sentence: RegExp][] = [
    ['>pixel<', '>elephant<', /MeasurementUnit may not be/],
    [/<SP [^>]*>/, '<SP/><SP/>', /TextLine may not hold/],
    [/ CONTENT="Příliš"/, '', /must have CONTENT/],
    ['WC="0.9375"', 'WC="93"', /WC may not be/],
    [' ID="r1p1l1w2"', ' ID="r1p1l1w1"', /twice/],
  ];
  for (const [from, to, sentence] of wrong) {
    const found = violations(parseXml(right.replace(from, to)), altoStructure).join('\n');
    assert.match(found, sentence);
  }
});
