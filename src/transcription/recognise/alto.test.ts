import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toAlto } from '../formats/alto.ts';
import { type Page, page } from '../page/page.ts';
import { readAlto } from './alto.ts';

test('our own ALTO is read back with words, places and confidence', () => {
  const box = (left: number, top: number) => ({ left, top, width: 50, height: 20 });
  const words = [
    { text: 'Žluťoučký', box: box(10, 10), confidence: 0.5 },
    { text: '<&">', box: box(70, 10), confidence: 0.9 },
  ];
  const line = { box: { left: 10, top: 10, width: 110, height: 20 }, words };
  const given: Page = {
    width: 300,
    height: 200,
    regions: [
      { kind: 'text', box: line.box, paragraphs: [{ box: line.box, lines: [line] }] },
      { kind: 'separator', box: box(10, 90), paragraphs: [] },
    ],
  };
  const written = toAlto(given, { name: 'scan.png', number: 1, created: new Date(0) });
  assert.deepEqual(page.parse(readAlto(written)), given);
});

test('ALTO from PERO-OCR is read: prefixes, fractions, a separate hyphen', () => {
  const text = `<?xml version="1.0"?><a:alto xmlns:a="x"><a:Layout><a:Page WIDTH="100" HEIGHT="80"><a:TextBlock>
    <a:TextLine HPOS="1.6" VPOS="2" WIDTH="30" HEIGHT="9"><a:String CONTENT="škol" HPOS="1.6" VPOS="-3" WIDTH="x" WC="1.2"/>
    <a:HYP CONTENT="-"/></a:TextLine></a:TextBlock></a:Page></a:Layout></a:alto>`;
  const [region] = page.parse(readAlto(text)).regions;
  const [line] = region?.paragraphs[0]?.lines ?? [];
  assert.equal(line?.box.left, 2);
  assert.deepEqual(line?.words, [
    { text: 'škol-', box: { left: 2, top: 0, width: 0, height: 0 }, confidence: 1 },
  ]);
});

test('lengths in other units than pixels, and files that are not ALTO, are refused', () => {
  const millimetres = '<alto><MeasurementUnit>mm10</MeasurementUnit><Layout><Page/></Layout></alto>';
  assert.throws(() => readAlto(millimetres), /in mm10; write them in pixels/);
  assert.throws(() => readAlto('<html/>'), /no page/);
});
