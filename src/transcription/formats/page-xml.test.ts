import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { all, parseXml } from '../../formats/markup/testing/xml-tree.ts';
import { toText } from '../text/text.ts';
import { toPageXml } from './page-xml.ts';
import { pageStructure } from './testing/page-structure.ts';
import { about, anyAbout, anyPage, samplePage } from './testing/pages.ts';
import { violations } from './testing/structure.ts';

test('any page gives PAGE XML with the structure of the format', () => {
  fc.assert(
    fc.property(anyPage, anyAbout, (page, about) => {
      const root = parseXml(toPageXml(page, about));
      assert.deepEqual(violations(root, pageStructure), []);
      for (const name of ['Coords', 'Baseline']) {
        for (const { attributes } of all(root, name)) {
          for (const point of attributes.points?.split(' ') ?? []) {
            const [x = Number.NaN, y = Number.NaN] = point.split(',').map(Number);
            assert.ok(x >= 0 && x <= page.width && y >= 0 && y <= page.height, `${point} is not on the page`);
          }
        }
      }
    }),
  );
});

test('regions in reading order give the text, words have places and confidence', () => {
  const root = parseXml(toPageXml(samplePage(), about));
  const order = all(root, 'RegionRefIndexed').map(({ attributes }) => attributes.regionRef);
  assert.deepEqual(order, ['r1p1', 'r1p2', 'r3', 'r4', 'r5']);
  const regions = all(root, 'TextRegion').map((region) => region.children.at(-1)?.children[0]?.text ?? '');
  assert.equal(`${regions.filter((text) => text !== '').join('\n\n')}\n`, toText(samplePage()));
  const [word] = all(root, 'Word');
  assert.deepEqual(
    word?.children.map(({ name, attributes }) => [name, attributes]),
    [
      ['Coords', { points: '100,100 196,100 196,130 100,130' }],
      ['TextEquiv', { conf: '0.9375' }],
    ],
  );
  const [page] = all(root, 'Page');
  assert.equal(page?.attributes.imageFilename, 'kronika "1".png');
  assert.equal(page?.attributes.primaryLanguage, 'Czech');
  assert.match(all(root, 'Creator')[0]?.text ?? '', /^Pismak .*; Tesseract 5\.3\.0$/);
  assert.equal(all(root, 'Created')[0]?.text, '2024-05-06T07:08:09.000Z');
});

test('the check of the structure finds what is wrong', () => {
  const right = toPageXml(samplePage(), about);
  const wrong: [from: string | RegExp, to: string, sentence: RegExp][] = [
    ['<Created>', '<Created>yesterday ', /Created may not be/],
    [' id="r1p2"', ' id="r1p1"', /r1p1 is there twice/],
    ['regionRef="r3"', 'regionRef="r33"', /nothing has the id r33/],
    [/ imageWidth="\d+"/, '', /must have imageWidth/],
    [/<Metadata>.*<\/Metadata>/s, '', /PcGts may not hold: Page/],
    ['conf="0.9375"', 'conf="1.2"', /conf may not be "1.2"/],
    ['<TextLine id', '<TextLine colour="red" id', /may not have colour/],
    ['points="100,100 ', 'points="-1,100 ', /points may not be/],
  ];
  for (const [from, to, sentence] of wrong) {
    const found = violations(parseXml(right.replace(from, to)), pageStructure).join('\n');
    assert.match(found, sentence);
  }
});
