import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { all, parseXml } from '../../formats/markup/testing/xml-tree.ts';
import { readHocr } from '../recognise/read-hocr.ts';
import { toText } from '../text/text.ts';
import { toHocr } from './hocr.ts';
import { about, anyAbout, anyPage, samplePage } from './testing/pages.ts';

const bbox = /^bbox \d+ \d+ \d+ \d+(; baseline -?[\d.]+ -?\d+)?(; x_wconf \d{1,3})?$/;

test('any page gives well-formed hOCR with unique ids and valid titles', () => {
  fc.assert(
    fc.property(anyPage, anyAbout, (page, about) => {
      const root = parseXml(toHocr(page, about));
      const elements = ['div', 'p', 'span'].flatMap((name) => all(root, name));
      assert.equal(new Set(elements.map(({ attributes }) => attributes.id)).size, elements.length);
      const [first, ...rest] = elements.map(({ attributes }) => attributes.title ?? '');
      assert.match(
        first ?? '',
        /^image "[^";]*"; bbox 0 0 \d+ \d+; ppageno \d+(; scan_res \S+ \S+)?(; textangle \d+)?$/,
      );
      for (const title of rest) assert.match(title, bbox);
    }),
  );
});

test('words are in lines and lines in paragraphs, each with its box', () => {
  const root = parseXml(toHocr(samplePage(), about));
  const words = all(root, 'span').filter(({ attributes }) => attributes.class === 'ocrx_word');
  assert.deepEqual(words[1]?.attributes.title, 'bbox 208 100 352 130; x_wconf 94');
  assert.equal(words[1]?.text, 'žluťoučký');
  const lines = all(root, 'span').filter(({ attributes }) => attributes.class === 'ocr_line');
  assert.match(lines[1]?.attributes.title ?? '', /; baseline -0\.00\d+ -7$/);
  assert.equal(root.attributes.lang, 'cs');
  assert.deepEqual(
    all(root, 'div').map(({ attributes }) => attributes.class),
    ['ocr_page', 'ocr_carea', 'ocr_separator', 'ocr_photo', 'ocr_table', 'ocr_carea'],
  );
});

test('our hOCR reader reads our own hOCR, with the same text and places', () => {
  const page = samplePage();
  const read = readHocr(toHocr(page, about));
  assert.equal(toText(read), toText(page));
  const boxes = ({ regions }: typeof page) =>
    regions.flatMap(({ paragraphs }) =>
      paragraphs.flatMap(({ lines }) => lines.flatMap(({ words }) => words.map(({ box }) => box))),
    );
  assert.deepEqual(boxes(read), boxes(page));
});

test('lines, paragraphs and areas don’t overlap, whatever the recogniser says', () => {
  fc.assert(
    fc.property(anyPage, (page) => {
      const root = parseXml(toHocr(page, about));
      for (const kind of ['ocr_line', 'ocr_par', 'ocr_carea']) {
        const boxes = ['div', 'p', 'span']
          .flatMap((name) => all(root, name))
          .filter(({ attributes }) => attributes.class === kind)
          .map(
            ({ attributes }) =>
              /bbox ([\d ]+)/
                .exec(attributes.title ?? '')?.[1]
                ?.split(' ')
                .map(Number) ?? [],
          );
        for (const [index, one] of boxes.entries())
          for (const other of boxes.slice(index + 1))
            assert.ok(!overlap(one, other), `${kind} ${one} ${other}`);
      }
    }),
  );
});

test('a line that a cut has moved down does not hide those after it', () => {
  const line = (top: number, width: number, height: number) => ({
    box: { left: 0, top, width, height },
    words: [],
  });
  const box = { left: 0, top: 0, width: 0, height: 0 };
  const lines = [line(98, 48, 253), line(47, 153, 153), line(0, 153, 248), line(98, 1, 1)];
  const page = {
    width: 1,
    height: 99,
    regions: [{ kind: 'text' as const, box, paragraphs: [{ box, lines }] }],
  };
  const boxes = all(parseXml(toHocr(page, about)), 'span')
    .filter(({ attributes }) => attributes.class === 'ocr_line')
    .map(({ attributes }) =>
      (/bbox ([\d ]+)/.exec(attributes.title ?? '')?.[1] ?? '').split(' ').map(Number),
    );
  assert.equal(boxes.length, 4);
  for (const [index, one] of boxes.entries())
    for (const other of boxes.slice(index + 1)) assert.ok(!overlap(one, other), `${one} and ${other}`);
});

function overlap(
  [l = 0, t = 0, r = 0, b = 0]: number[],
  [l2 = 0, t2 = 0, r2 = 0, b2 = 0]: number[],
): boolean {
  return Math.min(r, r2) > Math.max(l, l2) && Math.min(b, b2) > Math.max(t, t2);
}
