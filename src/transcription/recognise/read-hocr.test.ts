import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { page } from '../page/page.ts';
import { readHocr } from './read-hocr.ts';

const head = "<html><head><meta name='ocr-system' content='x' /></head><body>";
const whole = `${head}<div class='ocr_page' title='image "a>b"; bbox 0 0 800 600; ppageno 0; scan_res 300 300'>
  <div class='ocr_carea' title="bbox 10 10 700 100"><p class='ocr_par' lang='ces' title="bbox 10 10 700 100">
    <span class='ocr_line' title="bbox 10 20 700 60; baseline 0.01 -5; x_size 30">
      <span class='ocrx_word' title='bbox 10 20 80 60; x_wconf 91'>kůň</span>
      <span class='ocrx_word' title='bbox 90 20 200 60; x_wconf 40'><strong>R&amp;D &lt;1&gt; &#39;x&#x27;</strong></span>
    </span>
    <span class='ocr_caption' title="bbox 10 70 700 100; textangle 90; baseline 0 0">
      <span class='ocrx_word' title='bbox 10 70 80 100; x_wconf 99'>dál</span></span>
  </p></div>
  <div class='ocr_photo' title="bbox 10 200 300 400"></div>
  <div class='ocr_carea' title="bbox 0 0 9 9"><p class='ocr_par' title="bbox 0 0 9 9"><span class='ocr_line' title="bbox 0 0 9 9">
    <span class='ocrx_word' title='bbox 0 0 9 9; x_wconf 95'> </span></span></p></div>
</div></body></html>`;

test('words, lines, paragraphs and regions have places and confidence', () => {
  const read = page.parse(readHocr(whole));
  assert.deepEqual([read.width, read.height, read.dpi], [800, 600, 300]);
  assert.deepEqual(
    read.regions.map((region) => region.kind),
    ['text', 'image'],
  );
  const [first, second] = read.regions[0]?.paragraphs[0]?.lines ?? [];
  assert.deepEqual(first?.words, [
    { text: 'kůň', box: { left: 10, top: 20, width: 70, height: 40 }, confidence: 0.91 },
    { text: "R&D <1> 'x'", box: { left: 90, top: 20, width: 110, height: 40 }, confidence: 0.4 },
  ]);
  assert.deepEqual(first?.baseline, [
    { x: 10, y: 55 },
    { x: 700, y: 62 },
  ]);
  // On a rotated line the numbers mean something else.
  assert.equal(second?.baseline, undefined);
  assert.equal(second?.words[0]?.text, 'dál');
});

test('hOCR without paragraphs, as from Kraken, is read too', () => {
  const kraken = `<div class="ocr_page" title="bbox 0 0 100 50"><span class="ocr_line" title="bbox 1 2 90 40">
    <span class="ocrx_word" title="bbox 1 2 30 40; x_confs 0.9 0.8">dům</span></span></div>`;
  const [region] = page.parse(readHocr(kraken)).regions;
  assert.equal(region?.paragraphs[0]?.lines[0]?.words[0]?.text, 'dům');
});

test('a file that is not hOCR is refused', () => {
  assert.throws(() => readHocr('<html><p>text</p></html>'), /no page/);
});

test('a box that reaches beyond the page is cut at its edge', () => {
  const text = whole.replace('bbox 10 20 80 60', 'bbox -5 20 8000 60');
  const word = page.parse(readHocr(text)).regions[0]?.paragraphs[0]?.lines[0]?.words[0];
  assert.deepEqual(word?.box, { left: 0, top: 20, width: 800, height: 40 });
});

test('damaged hOCR gives a valid page or is refused', () => {
  const damage = fc.record({ from: fc.nat(whole.length), length: fc.nat(200), by: fc.string() });
  fc.assert(
    fc.property(damage, ({ from, length, by }) => {
      const damaged = whole.slice(0, from) + by + whole.slice(from + length);
      try {
        page.parse(readHocr(damaged));
      } catch (error) {
        assert.match(String(error), /no page/);
      }
    }),
  );
});

test('reading hostile input takes time linear in its length', () => {
  const much = 300_000;
  const hostile = ['<', '<a', '<a "', '"', "'", '&', '&#', ' ', '<!--', '<a b="', '<a =', '></'];
  for (const part of hostile) {
    assert.throws(() => readHocr(part.repeat(much)), /no page/);
    assert.throws(() => readHocr(`<p ${part.repeat(much)} class="x">`), /no page/);
  }
});
