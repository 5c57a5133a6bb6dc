import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { temporaryDirectory } from '../../../engine/testing/temporary-directory.ts';
import { parseXml } from '../../../formats/markup/testing/xml-tree.ts';
import { loadSharp } from '../../image/load-sharp.ts';
import type { Page } from '../../page/page.ts';
import { samplePage, typedLine } from '../testing/pages.ts';
import { pdfImage } from './pdf-image.ts';
import { type PdfPage, searchablePdf } from './searchable-pdf.ts';
import { srgbProfile } from './srgb-profile.ts';
import { upright as turnPage } from './upright.ts';

const sharp = await loadSharp();
const created = new Date('2024-05-06T07:08:09Z');
const usual = { quality: 75, lossless: false };

/** Text that would be there with `turn` 0, on an image that must be turned. */
function turnedPage(turn: 0 | 90 | 180 | 270): Page {
  const line = typedLine(100, 'Turned pages are read');
  const box = { left: 100, top: 100, width: 400, height: 34 };
  const paragraphs = [{ box, lines: [line] }];
  const straight: Page = { width: 1000, height: 600, dpi: 100, regions: [{ kind: 'text', box, paragraphs }] };
  const back = ((360 - turn) % 360) as 0 | 90 | 180 | 270;
  // Turning the upright page back gives what a scanner saw.
  return turn === 0 ? straight : { ...turnPage({ ...straight, turn: back }), turn };
}

async function save(t: TestContext, pages: readonly PdfPage[], title = 'Žďár <1>'): Promise<string> {
  const file = join(await temporaryDirectory(t), 'a.pdf');
  await writeFile(file, await buffer(searchablePdf(pages, { title, created })));
  return file;
}

const run = (program: string, ...words: string[]) =>
  execFileSync(program, words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
const white = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: '#fff' } });

async function sampleFile(t: TestContext): Promise<string> {
  const page = samplePage();
  const picture = white(page.width, page.height);
  const fax = await sharp(await picture.png().toBuffer())
    .toColourspace('b-w')
    .png({ palette: true, colours: 2 })
    .toBuffer();
  return save(t, [
    { page, image: await pdfImage(await picture.jpeg().toBuffer(), usual), label: 'first.jpg' },
    { page, image: await pdfImage(fax, usual), label: 'second.tif' },
    { page, image: await pdfImage(fax, usual), label: 'second.tif' },
  ]);
}

test('the file says that it is PDF/A-2b, in XMP that agrees with its information dictionary', async (t) => {
  const file = await sampleFile(t);
  const info = run('pdfinfo', '-isodates', file);
  assert.match(info, /Title: +Žďár <1>/);
  assert.match(info, /CreationDate: +2024-05-06T07:08:09Z/);
  const xmp = run('pdfinfo', '-meta', file);
  parseXml(xmp.slice(xmp.indexOf('<x:xmpmeta')));
  assert.match(xmp, /<pdfaid:part>2<\/pdfaid:part>\s*<pdfaid:conformance>B</);
  assert.match(xmp, /x-default">Žďár &lt;1&gt;</);
  assert.match(xmp, /<xmp:CreateDate>2024-05-06T07:08:09Z</);
  const producer = /Producer: +(.*)/.exec(info)?.[1];
  assert.ok(xmp.includes(`<pdf:Producer>${producer}</pdf:Producer>`));
});

test('it has what PDF/A asks for, and nothing that PDF/A forbids', async (t) => {
  const file = await sampleFile(t);
  assert.match(run('qpdf', '--check', file), /not encrypted[\s\S]*No syntax or stream encoding errors/i);
  const objects = run('qpdf', '--qdf', '--object-streams=disable', file, '-');
  for (const forbidden of [/\/SMask/, /\/Encrypt/, /\/JavaScript/, /\/LZWDecode/, /\/ca /, /\/BM /, /\/AA /])
    assert.doesNotMatch(objects, forbidden);
  for (const needed of [/\/OutputIntents/, /\/S \/GTS_PDFA1/, /\/DestOutputProfile \d+ 0 R/, /\/ID \[/])
    assert.match(objects, needed);
  assert.doesNotMatch(objects, /\/DeviceCMYK/);
  const fonts = run('pdffonts', file).trim().split('\n').slice(2);
  assert.ok(fonts.length > 0);
  for (const font of fonts) assert.match(font, /Identity-H +yes no +yes/, 'embedded, with its meaning');
  assert.match(run('pdfinfo', file), /PDF version: +1\.7/);
});

test('the colour profile is one that colour libraries accept, and it is sRGB', async (t) => {
  const pixel = {
    create: { width: 1, height: 1, channels: 3, background: { r: 200, g: 100, b: 50 } },
  } as const;
  const path = join(await temporaryDirectory(t), 'srgb.icc');
  await writeFile(path, srgbProfile());
  const converted = await sharp(pixel).withIccProfile(path).raw().toBuffer();
  assert.ok([200, 100, 50].every((value, index) => Math.abs((converted[index] ?? 0) - value) <= 1));
});

test('the outline has an entry for each source', async (t) => {
  const outline = run('mutool', 'show', await sampleFile(t), 'outline')
    .trim()
    .split('\n');
  assert.equal(outline.length, 2);
  assert.match(outline[0] ?? '', /first\.jpg"?\t#page=1/);
  assert.match(outline[1] ?? '', /second\.tif"?\t#page=2/);
});

for (const turn of [0, 90, 180, 270] as const) {
  test(`text stands where it is on a page turned by ${turn} degrees, and is copied in order`, async (t) => {
    const page = turnedPage(turn);
    const image = await pdfImage(await white(page.width, page.height).jpeg().toBuffer(), usual);
    const file = await save(t, [{ page, image }]);
    assert.equal(run('pdftotext', file, '-').trim(), 'Turned pages are read');
    assert.equal(run('mutool', 'draw', '-q', '-F', 'txt', file).trim(), 'Turned pages are read');
    // Readers show it upright, so the places are those of the upright page.
    const [, ...edges] =
      /<word xMin="([\d.]+)" yMin="([\d.]+)" xMax="([\d.]+)" yMax="([\d.]+)">Turned</.exec(
        run('pdftotext', '-bbox', file, '-'),
      ) ?? [];
    const [left = 0, top = 0, right = 0, bottom = 0] = edges.map((edge) => (Number(edge) * 100) / 72);
    assert.ok(Math.abs(left - 100) < 2 && Math.abs(right - 196) < 2, `from ${left} to ${right}`);
    assert.ok(top > 90 && bottom < 145 && bottom - top > 20, `from ${top} to ${bottom}`);
  });
}

test('a JPEG is shown as its EXIF orientation says, and stays byte by byte the same', async (t) => {
  // White, with a black upper left corner.
  const black = await white(40, 20).negate().png().toBuffer();
  const picture = await white(200, 100)
    .composite([{ input: black, left: 0, top: 0 }])
    .png()
    .toBuffer();
  for (let orientation = 1; orientation <= 8; orientation++) {
    const jpeg = await sharp(picture).withMetadata({ orientation }).jpeg({ quality: 95 }).toBuffer();
    const [width, height] = orientation >= 5 ? [100, 200] : [200, 100];
    const image = await pdfImage(jpeg, usual);
    assert.equal(image.content, jpeg);
    const file = await save(t, [{ page: { width, height, dpi: 72, regions: [] }, image }]);
    execFileSync('pdftoppm', ['-r', '72', '-singlefile', '-png', file, file]);
    const seen = await grey(await sharp(`${file}.png`).toBuffer());
    const wanted = await grey(await sharp(jpeg).autoOrient().toBuffer());
    assert.deepEqual([seen.width, seen.height], [wanted.width, wanted.height]);
    for (const [x, y] of [
      [5, 5],
      [width - 6, 5],
      [5, height - 6],
      [width - 6, height - 6],
    ] as const) {
      const at = ({ data, width: row }: typeof seen) => (data[y * row + x] ?? 0) > 127;
      assert.equal(at(seen), at(wanted), `orientation ${orientation} at ${x}, ${y}`);
    }
  }
});

async function grey(image: Buffer) {
  const { data, info } = await sharp(image).toColourspace('b-w').raw().toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height };
}

/** The directory of the package pdfjs-dist: with 40 MB, it is not among our own. */
const pdfjs = process.env.PDFJS;

if (pdfjs !== undefined) {
  test('pdf.js copies the text in order, also from turned pages', async () => {
    const { getDocument } = await import(join(pdfjs, 'legacy', 'build', 'pdf.mjs'));
    const pages = await Promise.all(
      ([0, 90, 180, 270] as const).map(async (turn) => {
        const page = turnedPage(turn);
        return { page, image: await pdfImage(await white(page.width, page.height).jpeg().toBuffer(), usual) };
      }),
    );
    const data = new Uint8Array(await buffer(searchablePdf(pages, { title: 'a', created })));
    const document = await getDocument({ data }).promise;
    for (let number = 1; number <= 4; number++) {
      const { items } = await (await document.getPage(number)).getTextContent();
      const text = items.map(({ str }: { str: string }) => str).join('');
      assert.equal(text.replaceAll(/\s+/g, ' ').trim(), 'Turned pages are read');
    }
    await document.destroy();
  });
}
