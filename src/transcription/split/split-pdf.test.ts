import assert from 'node:assert/strict';
import { test } from 'node:test';
import sharp from 'sharp';
import { page as pageSchema } from '../page/page.ts';
import { makePdf } from './testing/make-pdf.ts';
import { blank, splitFile } from './testing/split-file.ts';

const jpeg = await blank(600, 800).toColourspace('b-w').jpeg().toBuffer();

test('a scan in a PDF is extracted unchanged', async () => {
  const pdf = makePdf([{ width: 216, height: 288, jpeg: { bytes: jpeg, width: 600, height: 800 } }]);
  const { pages, contents } = await splitFile(pdf, { config: 'VIEWS = no' });
  assert.deepEqual(pages, [
    { name: 'scan', width: 600, height: 800, dpi: 200, hasText: false, file: 'pages/0001' },
  ]);
  assert.deepEqual(Buffer.from(contents['pages/0001'] ?? []), jpeg);
});

test('a scan that a PDF shows rotated is rotated, at its own resolution', async () => {
  const pdf = makePdf([
    { width: 216, height: 288, rotate: 90, jpeg: { bytes: jpeg, width: 600, height: 800 } },
  ]);
  const [page] = (await splitFile(pdf)).pages;
  assert.deepEqual([page?.width, page?.height, page?.dpi], [800, 600, 200]);
});

test('PDF pages that are not scans are rendered at 300 dpi, each on its own', async () => {
  const lines = ['Hello'];
  const { pages, contents } = await splitFile(
    makePdf([
      { width: 360, height: 144, lines },
      { width: 144, height: 144, lines },
    ]),
  );
  assert.deepEqual(
    pages.map(({ part, width, height, dpi, text }) => [part, width, height, dpi, text]),
    [
      [1, 1500, 600, 300, undefined],
      [2, 600, 600, 300, undefined],
    ],
  );
  const { channels } = await sharp(contents['pages/0001']).stats();
  assert.ok((channels[0]?.min ?? 255) < 50, 'there is ink');
});

test('every page of a long PDF is the right one', async () => {
  const widths = Array.from({ length: 70 }, (_, index) => 72 + index * 0.72);
  const pdf = makePdf(widths.map((width) => ({ width, height: 72 })));
  const { pages } = await splitFile(pdf, { config: 'PDF_DPI = 100' });
  assert.deepEqual(
    pages.map(({ part, width }) => [part, width]),
    widths.map((_, index) => [index + 1, 100 + index]),
  );
});

test('the text layer of a PDF is used when asked for, with the places of its words', async () => {
  const pdf = makePdf([{ width: 595, height: 842, lines: ['first line', 'the second'] }]);
  const { pages, contents } = await splitFile(pdf, { config: 'TEXT_LAYER = yes' });
  const text = pageSchema.parse(JSON.parse(Buffer.from(contents[pages[0]?.text ?? ''] ?? []).toString()));
  const lines = text.regions.flatMap((region) => region.paragraphs).flatMap((paragraph) => paragraph.lines);
  assert.deepEqual(
    lines.map((line) => line.words.map((word) => word.text)),
    [
      ['first', 'line'],
      ['the', 'second'],
    ],
  );
  const { left, top, width, height } = lines[0]?.words[0]?.box ?? { left: 0, top: 0, width: 0, height: 0 };
  // 72 points from the left and 90 from the top, at 300 dpi.
  assert.ok(
    Math.abs(left - 300) < 10 && Math.abs(top + height - 375) < 15,
    JSON.stringify({ left, top, height }),
  );
  assert.ok(width > 60 && width < 150);
  assert.equal(text.width, pages[0]?.width);
});

test('a huge PDF page is rendered at the highest resolution that the pixel limit allows', async () => {
  const [page] = (
    await splitFile(makePdf([{ width: 1440, height: 1440, lines: ['map'] }]), {
      config: 'MAX_MEGAPIXELS = 4',
    })
  ).pages;
  assert.equal(page?.dpi, 100);
});

test('pages of a PDF that have text are told from those that have none, and from scans with a stamp', async () => {
  const scan = { bytes: jpeg, width: 600, height: 800 };
  const pdf = makePdf([
    { width: 216, height: 288, jpeg: scan },
    { width: 216, height: 288, lines: ['born digital'] },
    { width: 216, height: 288, jpeg: scan, lines: ['Library of X'] },
    { width: 216, height: 288, jpeg: scan, lines: ['word '.repeat(20)] },
  ]);
  const { pages } = await splitFile(pdf);
  assert.deepEqual(
    pages.map(({ hasText }) => hasText),
    [false, true, false, true],
  );
});
