import fc from 'fast-check';
import type { Line, Page } from '../../page/page.ts';

/** A line at the given height, with monospaced words. */
export function typedLine(top: number, text: string, baseline?: { rise: number }): Line {
  let left = 100;
  const words = text.split(' ').map((word) => {
    const box = { left, top, width: Math.max(1, word.length) * 16, height: 30 };
    left += box.width + 12;
    return { text: word, box, confidence: 0.9375 };
  });
  const box = { left: 100, top, width: left - 112, height: 34 };
  if (baseline === undefined) return { box, words };
  return {
    box,
    words,
    baseline: [
      { x: 100, y: top + 27 },
      { x: left - 12, y: top + 27 - baseline.rise },
    ],
  };
}

/** A4 at 200 dpi with everything a page can have. */
export function samplePage(): Page {
  return {
    width: 1654,
    height: 2339,
    dpi: 200,
    language: 'ces+deu',
    producer: 'Tesseract 5.3.0',
    regions: [
      {
        kind: 'text',
        box: { left: 100, top: 100, width: 1000, height: 300 },
        paragraphs: [
          {
            box: { left: 100, top: 100, width: 1000, height: 100 },
            lines: [
              typedLine(100, 'Příliš žluťoučký kůň úpěl'),
              typedLine(150, 'ďábelské ódy; „Łódź“ & <Straße> 😀', { rise: 4 }),
            ],
          },
          {
            box: { left: 100, top: 260, width: 1000, height: 100 },
            lines: [typedLine(260, 'Rok 1923 byl obzvláš-'), typedLine(310, 'tě suchý.')],
          },
        ],
      },
      { kind: 'separator', box: { left: 100, top: 420, width: 1000, height: 3 }, paragraphs: [] },
      { kind: 'image', box: { left: 100, top: 500, width: 400, height: 300 }, paragraphs: [] },
      {
        kind: 'table',
        box: { left: 100, top: 900, width: 800, height: 200 },
        paragraphs: [
          { box: { left: 100, top: 900, width: 800, height: 40 }, lines: [typedLine(900, 'obilí 12 q')] },
        ],
      },
      { kind: 'text', box: { left: 100, top: 1200, width: 10, height: 10 }, paragraphs: [] },
    ],
  };
}

const box = fc.record({
  left: fc.nat(600),
  top: fc.nat(600),
  width: fc.nat(600),
  height: fc.nat(600),
});
const word = fc.record(
  {
    text: fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string({ unit: 'grapheme' }),
      fc.constantFrom('', 'dě-', ']]>'),
    ),
    box,
    confidence: fc.double({ min: 0, max: 1, noNaN: true }),
  },
  { requiredKeys: ['text', 'box'] },
);
const point = fc.record({ x: fc.integer({ min: -50, max: 700 }), y: fc.integer({ min: -50, max: 700 }) });
const line = fc.record(
  { box, words: fc.array(word, { maxLength: 4 }), baseline: fc.array(point, { maxLength: 3 }) },
  { requiredKeys: ['box', 'words'] },
);
const paragraph = fc.record(
  {
    box,
    lines: fc.array(line, { maxLength: 3 }),
    cell: fc.record(
      {
        row: fc.nat(3),
        column: fc.nat(3),
        rowSpan: fc.integer({ min: 1, max: 3 }),
        columnSpan: fc.integer({ min: 1, max: 3 }),
      },
      { requiredKeys: ['row', 'column'] },
    ),
  },
  { requiredKeys: ['box', 'lines'] },
);
const region = fc.record({
  kind: fc.constantFrom('text', 'image', 'table', 'separator'),
  box,
  paragraphs: fc.array(paragraph, { maxLength: 2 }),
});

/** Any page, including boxes over the edge and texts that no paper ever had. */
export const anyPage: fc.Arbitrary<Page> = fc.record(
  {
    width: fc.integer({ min: 1, max: 500 }),
    height: fc.integer({ min: 1, max: 500 }),
    dpi: fc.double({ min: 1, max: 2400, noNaN: true }),
    language: fc.constantFrom('ces', 'deu_latf+lat', 'xxx', '', 'Fraktur'),
    producer: fc.string({ unit: 'binary' }),
    turn: fc.constantFrom(0, 90, 180, 270),
    confidence: fc.double({ min: 0, max: 1, noNaN: true }),
    steps: fc.array(fc.string({ unit: 'binary' }), { maxLength: 2 }),
    border: box,
    unread: fc.record({ lines: fc.integer({ min: 1, max: 9 }), boxes: fc.array(box, { maxLength: 2 }) }),
    regions: fc.array(region, { maxLength: 3 }),
  },
  { requiredKeys: ['width', 'height', 'regions'] },
);

export const anyAbout = fc.record({
  name: fc.string({ unit: 'binary' }),
  number: fc.integer({ min: 1, max: 99_999 }),
  created: fc.date({ noInvalidDate: true, min: new Date(0), max: new Date('2100-01-01') }),
});

export const about = { name: 'kronika "1".png', number: 7, created: new Date('2024-05-06T07:08:09Z') };
