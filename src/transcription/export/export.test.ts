import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isPermanent } from '../../engine/processor/processor.ts';
import { runProcessor } from '../../engine/processor/run-processor.ts';
import { ManualClock } from '../../engine/time/clock.ts';
import { imageOfPagePdf } from '../formats/pdf/page-pdf-image.ts';
import { pdfImage } from '../formats/pdf/pdf-image.ts';
import { samplePage } from '../formats/testing/pages.ts';
import { toText } from '../formats/text.ts';
import { loadSharp } from '../image/load-sharp.ts';
import { formats } from '../order.ts';
import { parseExportConfig } from './config.ts';
import { createExport } from './export.ts';

const exportPage = createExport(new ManualClock());
const sharp = await loadSharp();

function request(wanted: readonly string[], more: Record<string, string | Uint8Array> = {}) {
  const order = { document: 'd', page: 3, name: 'strana 3.png', language: 'ces', formats: wanted };
  return { 'order.json': JSON.stringify(order), 'page.json': JSON.stringify(samplePage()), ...more };
}

function scan(grey: number): Promise<Buffer> {
  const { width, height } = samplePage();
  return sharp({ create: { width, height, channels: 3, background: { r: grey, g: grey, b: grey } } })
    .png()
    .toBuffer();
}

test('all formats in the order are written', async () => {
  const { files, contents } = await runProcessor(exportPage, {
    files: request(formats, { source: await scan(240) }),
  });
  assert.deepEqual(Object.keys(files).sort(), [
    'alto.xml',
    'order.json',
    'page.hocr',
    'page.json',
    'page.pdf',
    'page.xml',
    'source',
    'text.txt',
  ]);
  assert.equal(files['text.txt'], toText(samplePage()));
  assert.match(files['alto.xml'] ?? '', /PHYSICAL_IMG_NR="3"/);
  assert.match(files['page.xml'] ?? '', /imageFilename="strana 3\.png"/);
  assert.match(files['page.hocr'] ?? '', /ocrx_word/);
  assert.deepEqual(JSON.parse(files['page.json'] ?? ''), samplePage());
  assert.notEqual(imageOfPagePdf(contents['page.pdf'] ?? new Uint8Array()), undefined);
});

test('no other formats are written', async () => {
  const { files } = await runProcessor(exportPage, { files: request(['alto']) });
  assert.deepEqual(Object.keys(files).sort(), ['alto.xml', 'order.json', 'page.json']);
});

test('the PDF shows the prepared image if there is one', async () => {
  const prepared = await scan(20);
  const images = { source: await scan(240), 'image.png': prepared };
  const { contents } = await runProcessor(exportPage, { files: request(['pdf'], images) });
  const shown = imageOfPagePdf(contents['page.pdf'] ?? new Uint8Array());
  const expected = await pdfImage(prepared, samplePage(), parseExportConfig(''));
  assert.ok(shown && Buffer.from(expected.content).equals(shown.content));
});

test('places refer to the owner’s image, not to the prepared one', async () => {
  const { width, height } = samplePage();
  const halves = { source: { width: width / 2, height }, image: { width, height } };
  const prepared = { ...halves, matrix: { a: 2, b: 0, c: 0, d: 1, e: 0, f: 0 } };
  const { files } = await runProcessor(exportPage, {
    files: request(['alto'], { 'prepared.json': JSON.stringify(prepared) }),
  });
  assert.match(files['alto.xml'] ?? '', /HPOS="50" VPOS="100" WIDTH="48" HEIGHT="30" [^>]*CONTENT="Příliš"/);
});

test('bad input fails for good, with a clear message', async () => {
  const cases: [files: Record<string, string | Uint8Array>, sentence: RegExp][] = [
    [{}, /there is no file order\.json/],
    [{ ...request(['txt']), 'page.json': '{"width":-1}' }, /page\.json is invalid/],
    [{ ...request(['txt']), 'page.json': 'nonsense' }, /page\.json is invalid/],
    [request(['pdf']), /needs the image of the page/],
    [request(['pdf'], { source: 'not an image' }), /the image can't be read/],
  ];
  for (const [files, sentence] of cases) {
    const run = runProcessor(exportPage, { files });
    await assert.rejects(run, (error) => isPermanent(error) && sentence.test(String(error)));
  }
});

test('a wrong configuration is refused', () => {
  assert.deepEqual(parseExportConfig(''), { quality: 75, lossless: false });
  assert.deepEqual(parseExportConfig('PDF_QUALITY = 50\nPDF_LOSSLESS = yes'), {
    quality: 50,
    lossless: true,
  });
  assert.throws(() => parseExportConfig('PDF_QUALITY = 101'), /PDF_QUALITY must be at most 100/);
});
