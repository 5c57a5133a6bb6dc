import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isPermanent, isWrongWorker } from '../../engine/processor/processor.ts';
import { runProcessor } from '../../engine/processor/run-processor.ts';
import { ManualClock } from '../../engine/time/clock.ts';
import { formats, resultFiles } from '../formats/output-formats.ts';
import { imageOfPagePdf } from '../formats/pdf/page-pdf-image.ts';
import { pdfImage } from '../formats/pdf/pdf-image.ts';
import { samplePage } from '../formats/testing/pages.ts';
import { loadSharp } from '../image/load-sharp.ts';
import { toText } from '../text/text.ts';
import { parseExportConfig } from './config.ts';
import { createExport } from './export.ts';
import { withConfidence } from './source-page.ts';

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

test('all formats in the order are written, but no tables for a page without tables', async () => {
  const { files, contents } = await runProcessor(exportPage, {
    files: request(formats, { source: await scan(240) }),
  });
  const written = formats.filter((format) => format !== 'tsv').map((format) => resultFiles[format]);
  assert.deepEqual(Object.keys(files).sort(), ['order.json', 'source', ...written].sort());
  assert.equal(files['text.txt'], toText(samplePage()));
  assert.match(files['alto.xml'] ?? '', /PHYSICAL_IMG_NR="3"/);
  assert.match(files['page.xml'] ?? '', /imageFilename="strana 3\.png"/);
  assert.match(files['page.hocr'] ?? '', /ocrx_word/);
  const read = JSON.parse(files['page.json'] ?? '');
  // No program has said what the resolution is.
  const { dpi: _, ...expected } = withConfidence(samplePage());
  assert.deepEqual(read, expected);
  assert.equal(expected.regions[0]?.paragraphs[0]?.lines[0]?.confidence, 0.9375);
  assert.notEqual(imageOfPagePdf(contents['page.pdf'] ?? new Uint8Array()), undefined);
});

test('a format that this worker does not know yet is left to a newer worker', async () => {
  const run = runProcessor(exportPage, { files: request(['txt', 'braille']) });
  await assert.rejects(
    run,
    (error) => isWrongWorker(error) && /doesn't know the format braille/.test(String(error)),
  );
});

test('no other formats are written', async () => {
  const { files } = await runProcessor(exportPage, { files: request(['alto']) });
  assert.deepEqual(Object.keys(files).sort(), ['alto.xml', 'order.json', 'page.json']);
});

test('the PDF shows the original image, never the prepared one', async () => {
  const source = await scan(240);
  const images = { source, 'image.png': await scan(20) };
  const { contents } = await runProcessor(exportPage, { files: request(['pdf'], images) });
  const shown = imageOfPagePdf(contents['page.pdf'] ?? new Uint8Array());
  const expected = await pdfImage(source, parseExportConfig(''));
  assert.ok(shown && Buffer.from(expected.content).equals(shown.content));
});

test('the resolution is that of the source, not the guess of the recogniser', async () => {
  const dpiOf = async (source: Uint8Array, more: object = {}) => {
    const all = request(['alto'], { source });
    const order = JSON.stringify({ ...JSON.parse(all['order.json']), ...more });
    const { files } = await runProcessor(exportPage, { files: { ...all, 'order.json': order } });
    return JSON.parse(files['page.json'] ?? '').dpi;
  };
  const unknown = await sharp(await scan(240))
    .jpeg()
    .toBuffer();
  assert.equal(await dpiOf(unknown), undefined);
  assert.equal(await dpiOf(unknown, { dpi: 240 }), 240, 'as the PDF said that the page came from');
  assert.equal(await dpiOf(await sharp(unknown).withDensity(400).jpeg().toBuffer()), 400);
});

test('the results name the image as the ZIP of the document does', async () => {
  const order = { document: 'd', page: 12, part: 12, name: 'book.pdf', formats: ['page'] };
  const { files } = await runProcessor(exportPage, {
    files: { ...request(['page'], { source: await scan(240) }), 'order.json': JSON.stringify(order) },
  });
  assert.match(files['page.xml'] ?? '', /imageFilename="book-0012\.png"/);
});

test('places refer to the owner’s image, not to the prepared one, in all formats', async () => {
  const { width, height } = samplePage();
  const halves = { source: { width: width / 2, height }, image: { width, height } };
  const prepared = { ...halves, matrix: { a: 2, b: 0, c: 0, d: 1, e: 0, f: 0 } };
  const { files } = await runProcessor(exportPage, {
    files: request(['alto'], { 'prepared.json': JSON.stringify(prepared) }),
  });
  assert.deepEqual(Object.keys(files).toSorted(), ['alto.xml', 'order.json', 'page.json']);
  const page = JSON.parse(files['page.json'] ?? '');
  assert.equal(page.width, width / 2);
  assert.equal(page.regions[0].paragraphs[0].lines[0].words[0].box.left, 50);
  assert.match(files['alto.xml'] ?? '', /HPOS="50" VPOS="100" WIDTH="48" HEIGHT="30" [^>]*CONTENT="Příliš"/);
});

test('the prepared image is kept if the stage is told to, and PAGE names it', async () => {
  const prepared = await scan(20);
  const images = { source: await scan(240), 'image.png': prepared };
  const { contents, files } = await runProcessor(exportPage, {
    config: 'PREPARED = yes',
    files: request(['page'], images),
  });
  assert.deepEqual(Buffer.from(contents['prepared.png'] ?? []), prepared);
  assert.match(files['page.xml'] ?? '', /<AlternativeImage filename="prepared\.png"/);
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
  assert.deepEqual(parseExportConfig(''), { quality: 75, lossless: false, prepared: false });
  assert.deepEqual(parseExportConfig('PDF_QUALITY = 50\nPDF_LOSSLESS = yes'), {
    quality: 50,
    lossless: true,
    prepared: false,
  });
  assert.throws(() => parseExportConfig('PDF_QUALITY = 101'), /PDF_QUALITY must be at most 100/);
});
