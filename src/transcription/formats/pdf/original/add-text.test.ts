import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import fc from 'fast-check';
import { temporaryDirectory } from '../../../../engine/testing/temporary-directory.ts';
import { FileBytes } from '../../../image/file-bytes.ts';
import type { Page } from '../../../page/page.ts';
import { writePdf } from '../../../split/pdf/write-pdf.ts';
import { makePdf, protectedPdf } from '../../../split/testing/make-pdf.ts';
import { typedLine } from '../../testing/pages.ts';
import { addText } from './add-text.ts';

const run = (program: string, ...words: string[]) =>
  execFileSync(program, words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });

/** One line at the upper left, on an image of a page at 144 dpi. */
function pageWith(text: string, width: number, height: number): Page {
  const line = typedLine(100, text);
  const paragraphs = [{ box: line.box, lines: [line] }];
  return { width: width * 2, height: height * 2, regions: [{ kind: 'text', box: line.box, paragraphs }] };
}

async function added(
  t: TestContext,
  original: Uint8Array,
  textOf: (number: number) => Page | undefined,
): Promise<{ file: string; bytes: Buffer }> {
  const directory = await temporaryDirectory(t);
  await writeFile(join(directory, 'a.pdf'), original);
  const source = new FileBytes(join(directory, 'a.pdf'));
  t.after(() => source.close());
  const bytes = await buffer(
    addText(source, async (number) => [textOf(number)].filter((page) => page !== undefined)),
  );
  const file = join(directory, 'b.pdf');
  await writeFile(file, bytes);
  return { file, bytes };
}

/** A scan, a page with text, and a page that readers turn; with an outline, a link, and a box that is not at zero. */
function sample(): Uint8Array {
  const content = 'q 0.5 w /F 12 Tf';
  return writePdf([
    { entries: '/Type/Catalog/Pages 2 0 R/Outlines 9 0 R' },
    { entries: '/Type/Pages/Kids[3 0 R 4 0 R 5 0 R]/Count 3/Resources 6 0 R/MediaBox[50 60 350 460]' },
    { entries: '/Type/Page/Parent 2 0 R/Contents 7 0 R/Annots[8 0 R]' },
    { entries: '/Type/Page/Parent 2 0 R/Contents[11 0 R]' },
    { entries: '/Type/Page/Parent 2 0 R/Rotate 90/CropBox[60 70 340 450]' },
    { entries: '/Font<</F 12 0 R>>' },
    { entries: '', stream: Buffer.from(content) },
    {
      entries:
        '/Type/Annot/Subtype/Link/Rect[60 70 90 90]/Border[0 0 0]/A<</S/URI/URI(https://example.org/)>>',
    },
    { entries: '/Type/Outlines/First 10 0 R/Last 10 0 R/Count 1' },
    { entries: '/Title(Chapter \\(one\\))/Parent 9 0 R/Dest[5 0 R/Fit]' },
    { entries: '', stream: Buffer.from('BT /F 14 Tf 70 300 Td (born digital) Tj ET') },
    { entries: '/Type/Font/Subtype/Type1/BaseFont/Times-Roman' },
  ]);
}

async function packed(t: TestContext, pdf: Uint8Array): Promise<Uint8Array> {
  const directory = await temporaryDirectory(t);
  await writeFile(join(directory, 'a.pdf'), pdf);
  run('qpdf', '--object-streams=generate', join(directory, 'a.pdf'), join(directory, 'b.pdf'));
  return readFile(join(directory, 'b.pdf'));
}

for (const kind of ['plain', 'packed'] as const) {
  test(`text is added to a ${kind} PDF, and everything else stays`, async (t) => {
    const original = kind === 'plain' ? sample() : await packed(t, sample());
    const { file, bytes } = await added(t, original, (number) => {
      if (number === 1) return pageWith('scanned words', 300, 400);
      return number === 3 ? pageWith('turned words', 380, 280) : undefined;
    });
    assert.ok(bytes.subarray(0, original.length).equals(original), 'the file itself is unchanged');
    assert.match(run('qpdf', '--check', file), /No syntax or stream encoding errors found/);
    assert.deepEqual(run('pdftotext', file, '-').match(/\w+ \w+/g), [
      'scanned words',
      'born digital',
      'turned words',
    ]);
    const byMupdf = run('mutool', 'draw', '-F', 'txt', file).match(/\w+ \w+/g);
    assert.deepEqual(byMupdf, ['scanned words', 'born digital', 'turned words']);
    assert.match(run('mutool', 'show', file, 'outline'), /Chapter \(one\)/);
    assert.match(run('qpdf', '--qdf', file, '-'), /https:\/\/example\.org/);
    // The line is 50 points from the left and the top of what readers show, on both pages.
    const boxes = run('pdftotext', '-cropbox', '-bbox', file, '-').matchAll(
      /xMin="([\d.]+)" yMin="([\d.]+)" xMax="[\d.]+" yMax="([\d.]+)">(scanned|turned)</g,
    );
    for (const [, left, top, bottom, word] of boxes) {
      assert.ok(Math.abs(Number(left) - 50) < 2, `${word} at ${left}`);
      assert.ok(
        Number(top) < 62 && Number(bottom) > 52 && Number(bottom) - Number(top) < 30,
        `${word} from ${top}`,
      );
    }
  });
}

test('a PDF to which nothing is added stays byte by byte the same', async (t) => {
  const original = makePdf([{ width: 300, height: 300, lines: ['text'] }]);
  const { bytes } = await added(t, original, () => undefined);
  assert.deepEqual(bytes.subarray(0, original.length), Buffer.from(original));
  assert.equal(bytes.length, original.length + 1);
});

test('text can be added twice', async (t) => {
  const first = await added(t, sample(), (number) => (number === 1 ? pageWith('one', 300, 400) : undefined));
  const { file } = await added(t, first.bytes, (number) =>
    number === 3 ? pageWith('three', 380, 280) : undefined,
  );
  assert.match(run('qpdf', '--check', file), /No syntax/);
  assert.deepEqual(run('pdftotext', file, '-').match(/\w+/g), ['one', 'born', 'digital', 'three']);
});

test('an encrypted or damaged PDF is refused, with what to do instead', async (t) => {
  const never = () => assert.fail('no page is asked for');
  await assert.rejects(added(t, protectedPdf(), never), /encrypted.*--pdf/);
  await assert.rejects(added(t, sample().subarray(0, 900), never), /its end is missing/);
  await assert.rejects(added(t, Buffer.from('startxref\n5\n%%EOF'), never), /text can't be added/);
});

test('objects that lie within each other don’t keep it busy', async (t) => {
  // Each object is a string that reaches to the end of the file, and all are said to be pages.
  const count = 20_000;
  const head = '%PDF-1.4\n1 0 obj\n<</Type/Catalog/Pages 2 0 R>>\nendobj\n';
  const kids = Array.from({ length: count }, (_, index) => `${index + 3} 0 R`).join(' ');
  const pages = `2 0 obj\n<</Type/Pages/Count ${count}/Kids[${kids}]>>\nendobj\n`;
  let text = head + pages;
  const offsets = [9, head.length];
  for (let index = 0; index < count; index++) {
    offsets.push(text.length);
    text += `${index + 3} 0 obj\n(`;
  }
  text += ')'.repeat(count);
  const rows = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  const table = `xref\n0 ${count + 3}\n0000000000 65535 f \n${rows}trailer<</Size ${count + 3}/Root 1 0 R>>`;
  const file = `${text}\n${table}\nstartxref\n${text.length + 1}\n%%EOF`;
  await assert.rejects(
    added(t, Buffer.from(file, 'latin1'), () => undefined),
    /its objects overlap/,
  );
});

test('no damage makes it fail in another way', async (t) => {
  const directory = await temporaryDirectory(t);
  const path = join(directory, 'any.pdf');
  const originals = [sample(), await packed(t, sample())];
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...originals),
      fc.nat(),
      fc.uint8Array({ maxLength: 8 }),
      async (pdf, at, noise) => {
        const bytes = Buffer.from(pdf);
        bytes.set(noise.subarray(0, bytes.length - (at % bytes.length)), at % bytes.length);
        await writeFile(path, bytes);
        const file = new FileBytes(path);
        const result = buffer(addText(file, async () => [pageWith('text', 300, 400)]));
        await result.then(
          () => {},
          (error: unknown) => assert.match(String(error), /text can't be added/),
        );
        file.close();
      },
    ),
    { numRuns: 300 },
  );
});
