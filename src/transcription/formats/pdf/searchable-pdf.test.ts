import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import fc from 'fast-check';
import { temporaryDirectory } from '../../../engine/testing/temporary-directory.ts';
import type { Page } from '../../page/page.ts';
import { toText } from '../../text/text.ts';
import { anyPage, samplePage, typedLine } from '../testing/pages.ts';
import { documentPdf } from './document-pdf.ts';
import { imageOfPagePdf } from './page-pdf-image.ts';
import { type PdfPage, searchablePdf } from './searchable-pdf.ts';

const created = new Date('2024-05-06T07:08:09Z');
const image = {
  entries: '/Width 1 /Height 1 /ColorSpace /DeviceGray /BitsPerComponent 8',
  content: new Uint8Array([200]),
};

function makePdf(pages: readonly PdfPage[], title = 'Kronika obce Žďár'): Promise<Buffer> {
  return buffer(searchablePdf(pages, { title, created }));
}

async function save(test: { after(work: () => Promise<void>): void }, pdf: Uint8Array): Promise<string> {
  const file = join(await temporaryDirectory(test), 'a.pdf');
  await writeFile(file, pdf);
  return file;
}

function run(program: string, ...words: string[]): string {
  return execFileSync(program, words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

const oneLine = (text: string) => text.replaceAll(/\s+/g, ' ').trim();

/** Without hyphenated words, because each program joins them in its own way. */
function czechPage(): Page {
  const lines = [
    'Příliš žluťoučký kůň úpěl ďábelské ódy,',
    'PŘÍLIŠ ŽLUŤOUČKÝ KŮŇ ÚPĚL ĎÁBELSKÉ ÓDY.',
    'Łódź Straße „uvozovky“ – pomlčka … § 5 × 3 ½ €',
    '😀 𝔉𝔯𝔞𝔨𝔱𝔲𝔯 (závorky) \\lomítko <a> & "b"',
  ].map((text, index) => typedLine(100 + index * 60, text, { rise: index * 2 }));
  const box = { left: 100, top: 100, width: 1200, height: 300 };
  return {
    width: 1654,
    height: 2339,
    dpi: 200,
    regions: [{ kind: 'text', box, paragraphs: [{ box, lines }] }],
  };
}

test('text copied from the PDF is the text that was read, with all Czech letters', async (t) => {
  const file = await save(t, await makePdf([{ page: czechPage(), image }]));
  const expected = oneLine(toText(czechPage()));
  assert.equal(oneLine(run('pdftotext', '-raw', file, '-')), expected);
  assert.equal(oneLine(run('pdftotext', '-layout', file, '-')), expected);
  assert.equal(oneLine(run('mutool', 'draw', '-q', '-F', 'txt', file)), expected);
});

test('words with touching boxes stay apart when copied', async (t) => {
  const page = czechPage();
  for (const line of page.regions.flatMap(({ paragraphs }) => paragraphs.flatMap(({ lines }) => lines))) {
    for (const [index, { box }] of line.words.entries()) {
      const next = line.words[index + 1];
      if (next !== undefined) box.width = next.box.left - box.left;
    }
  }
  const file = await save(t, await makePdf([{ page, image }]));
  assert.equal(oneLine(run('pdftotext', '-raw', file, '-')), oneLine(toText(page)));
});

test('words are at their places on the page', async (t) => {
  const page = czechPage();
  const file = await save(t, await makePdf([{ page, image }]));
  const found = run('pdftotext', '-bbox', file, '-').matchAll(
    /<word xMin="([\d.]+)" yMin="([\d.]+)" xMax="([\d.]+)" yMax="([\d.]+)">/g,
  );
  const boxes = Array.from(found, ([, ...edges]) => edges.map(Number));
  const words = page.regions.flatMap(
    (region) => region.paragraphs[0]?.lines.flatMap((line) => line.words) ?? [],
  );
  assert.equal(boxes.length, words.length);
  for (const [index, { box }] of words.entries()) {
    const scale = 72 / 200;
    const [left = 0, top = 0, right = 0, bottom = 0] = boxes[index] ?? [];
    assert.ok(Math.abs(left - box.left * scale) < 1, `left edge of word ${index}`);
    assert.ok(Math.abs(right - (box.left + box.width) * scale) < 1, `right edge of word ${index}`);
    const middle = (box.top + box.height / 2) * scale;
    assert.ok(top < middle && bottom > middle, `height of word ${index}`);
  }
});

test('PDF checkers find no errors, and see pages of the right size', async (t) => {
  const pages = [samplePage(), czechPage(), { width: 10, height: 20, regions: [] }];
  const file = await save(t, await makePdf(pages.map((page) => ({ page, image }))));
  assert.match(run('qpdf', '--check', file), /No syntax or stream encoding errors found/);
  const info = run('pdfinfo', file);
  assert.match(info, /Title: +Kronika obce Žďár/);
  assert.match(info, /Pages: +3/);
  assert.match(info, /Page size: +595\.44 x 842\.04 pts \(A4\)/);
  assert.match(run('pdffonts', file), /GlyphLessFont +CID TrueType +Identity-H +yes no +yes/);
});

test('any page gives a PDF that other programs can read', async (t) => {
  const directory = await temporaryDirectory(t);
  // Each file starts several programs, so use a few files with many pages.
  const some = fc.array(anyPage, { minLength: 10, maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(some, async (pages) => {
      const file = join(directory, 'any.pdf');
      await writeFile(file, await makePdf(pages.map((page) => ({ page, image }))));
      assert.match(run('qpdf', '--check', file), /No syntax or stream encoding errors found/);
      run('pdftotext', file, '-');
    }),
    { numRuns: 5 },
  );
});

test('the same input gives the same bytes', async () => {
  const pages = [{ page: samplePage(), image }];
  assert.deepEqual(await makePdf(pages), await makePdf(pages));
});

test('pages are requested one by one as the file is read', async () => {
  let asked = 0;
  const pages = function* () {
    for (;;) {
      asked += 1;
      yield { page: samplePage(), image };
    }
  };
  let pieces = 0;
  for await (const piece of searchablePdf(pages(), { title: '', created })) {
    assert.ok(piece.length > 0);
    pieces += 1;
    if (pieces === 10) break;
  }
  assert.ok(asked <= 4, `${asked} pages for the first 10 pieces`);
});

test('a page without resolution is as long as A4, and an absurd resolution stays within the limits', async (t) => {
  const pages = [undefined, 0.1].map((dpi) => ({
    width: 1000,
    height: 2000,
    ...(dpi && { dpi }),
    regions: [],
  }));
  const file = await save(t, await makePdf(pages.map((page) => ({ page, image }))));
  const sizes = run('pdfinfo', '-l', '2', file).matchAll(/Page +\d size: +([\d.]+) x ([\d.]+)/g);
  assert.deepEqual(
    Array.from(sizes, ([, width, height]) => [width, height]),
    [
      ['420.84', '841.68'],
      ['7200', '14400'],
    ],
  );
});

test('the image of a page is extracted from our PDF unchanged, and not from another program’s PDF', async () => {
  const bytes = Buffer.from('endstream\nendobj\n1 0 obj\n<< /Length 3 >>');
  const pdf = await makePdf([{ page: samplePage(), image: { ...image, content: bytes } }]);
  assert.deepEqual(imageOfPagePdf(pdf), { ...image, content: bytes });
  assert.equal(imageOfPagePdf(pdf.subarray(0, 150)), undefined);
  assert.equal(imageOfPagePdf(Buffer.from('%PDF-1.4\n1 0 obj\n<< /Type /Catalog >>\nendobj\n')), undefined);
});

test('the PDFs of pages become one PDF with all their text, unless another program made one of them', async (t) => {
  const pages = [czechPage(), samplePage()];
  const files = [];
  for (const [index, page] of pages.entries()) {
    const pdf = await makePdf([{ page, image }]);
    files.push({ number: index + 1, json: Buffer.from(JSON.stringify(page)), pdf });
  }
  const about = { title: 'Kronika obce Žďár', created };
  const whole = await buffer(documentPdf(files, about));
  assert.deepEqual(whole, await makePdf(pages.map((page) => ({ page, image }))));
  assert.match(run('pdfinfo', await save(t, whole)), /Pages: +2/);
  const foreign = [...files, { number: 3, json: Buffer.from('{}'), pdf: Buffer.from('%PDF-1.4\n') }];
  await assert.rejects(buffer(documentPdf(foreign, about)), /another program made the PDF of page 3/);
});
