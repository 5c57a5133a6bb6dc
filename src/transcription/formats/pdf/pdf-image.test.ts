import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { seededRandom } from '../../../engine/simulation/chance.ts';
import { temporaryDirectory } from '../../../engine/testing/temporary-directory.ts';
import { loadSharp } from '../../image/load-sharp.ts';
import { pdfImage } from './pdf-image.ts';
import { searchablePdf } from './searchable-pdf.ts';

const page = { width: 80, height: 60, dpi: 72, regions: [] };
const usual = { quality: 75, lossless: false };
const sharp = await loadSharp();

/** Dark on the left, light on the right. */
function picture(channels: 1 | 3 | 4 = 3) {
  const raw = Buffer.alloc(80 * 60 * channels, 255);
  for (let pixel = 0; pixel < 80 * 60; pixel += 1) {
    if (pixel % 80 < 40) raw.fill(20, pixel * channels, pixel * channels + Math.min(channels, 3));
  }
  return sharp(raw, { raw: { width: 80, height: 60, channels } });
}

/** How light the page is on the left and on the right when another program renders it. */
async function drawn(
  t: TestContext,
  bytes: Uint8Array,
  options = usual,
): Promise<[left: number, right: number]> {
  const image = await pdfImage(bytes, options);
  const directory = await temporaryDirectory(t);
  await writeFile(
    join(directory, 'a.pdf'),
    await buffer(searchablePdf([{ page, image }], { title: '', created: new Date(0) })),
  );
  execFileSync('pdftoppm', ['-r', '72', '-singlefile', '-png', 'a.pdf', 'a'], { cwd: directory });
  const { data, info } = await sharp(join(directory, 'a.png'))
    .toColourspace('b-w')
    .raw()
    .toBuffer({ resolveWithObject: true });
  assert.deepEqual([info.width, info.height], [80, 60]);
  const at = (x: number) => data[(30 * 80 + x) * info.channels] ?? Number.NaN;
  return [at(10), at(70)];
}

const images: [what: string, make: () => Promise<Buffer>][] = [
  ['a colour JPEG', () => picture().jpeg().toBuffer()],
  ['a grey JPEG', () => picture(1).toColourspace('b-w').jpeg().toBuffer()],
  ['a progressive JPEG', () => picture().jpeg({ progressive: true }).toBuffer()],
  ['a JPEG in CMYK', () => picture().toColourspace('cmyk').jpeg().toBuffer()],
  ['a PNG with a palette', () => picture().png({ palette: true }).toBuffer()],
  ['a grey PNG', () => picture(1).toColourspace('b-w').png().toBuffer()],
  ['a colour PNG', () => picture().png().toBuffer()],
  ['a PNG with transparency', () => picture(4).png().toBuffer()],
  ['an interlaced PNG', () => picture().png({ progressive: true }).toBuffer()],
  ['a TIFF', () => picture().tiff().toBuffer()],
  ['a WebP', () => picture().webp().toBuffer()],
];

for (const [what, make] of images) {
  test(`${what} is shown correctly`, async (t) => {
    for (const lossless of [false, true]) {
      const [left, right] = await drawn(t, await make(), { ...usual, lossless });
      assert.ok(left < 60 && right > 220, `left ${left}, right ${right}`);
    }
  });
}

test('a JPEG is embedded without decoding, and a black-and-white PNG without loss', async () => {
  const jpeg = await picture().jpeg().toBuffer();
  assert.equal((await pdfImage(jpeg, usual)).content, jpeg);
  const png = await picture(1).toColourspace('b-w').threshold().png({ palette: true, colours: 2 }).toBuffer();
  assert.match((await pdfImage(png, usual)).entries, /\/BitsPerComponent 1 \/Filter \/CCITTFaxDecode/);
});

test('a noisy PNG becomes JPEG unless lossless is set; a clean one stays PNG', async () => {
  const random = seededRandom(1);
  const noise = Buffer.from(Array.from({ length: 80 * 60 }, () => Math.floor(random() * 256)));
  const noisy = await sharp(noise, { raw: { width: 80, height: 60, channels: 1 } })
    .toColourspace('b-w')
    .png()
    .toBuffer();
  assert.match((await pdfImage(noisy, usual)).entries, /DeviceGray.*DCTDecode/);
  assert.match((await pdfImage(noisy, { ...usual, lossless: true })).entries, /DeviceGray.*FlateDecode/);
  const clean = await picture(1).toColourspace('b-w').png().toBuffer();
  assert.match((await pdfImage(clean, usual)).entries, /DeviceGray.*FlateDecode/);
});

test('a photograph with an EXIF orientation is rotated', async (t) => {
  // Upside down, according to EXIF.
  const turned = await picture().rotate(180).jpeg().withMetadata({ orientation: 3 }).toBuffer();
  const [left, right] = await drawn(t, turned);
  assert.ok(left < 60 && right > 220, `left ${left}, right ${right}`);
});

test('a file that is not an image is refused', async () => {
  for (const bytes of ['', 'hello', '\xff\xd8\xff\xe1', '\x89PNG\r\n\x1a\n']) {
    await assert.rejects(pdfImage(Buffer.from(bytes, 'latin1'), usual));
  }
});

test('black and white becomes fax, a TIFF as well as a PNG, and shows the same', async (t) => {
  const random = seededRandom(2);
  const dots = Buffer.from(
    Array.from({ length: 80 * 60 }, (_, at) => (at % 80 < 40 && random() < 0.9 ? 0 : 255)),
  );
  const both = sharp(dots, { raw: { width: 80, height: 60, channels: 1 } }).toColourspace('b-w');
  const tiff = await both.clone().tiff({ bitdepth: 1, compression: 'ccittfax4' }).toBuffer();
  const image = await pdfImage(tiff, usual);
  assert.match(image.entries, /BitsPerComponent 1 \/Filter \/CCITTFaxDecode \/DecodeParms << \/K -1/);
  const directory = await temporaryDirectory(t);
  const pdf = await buffer(searchablePdf([{ page, image }], { title: '', created: new Date(0) }));
  await writeFile(join(directory, 'a.pdf'), pdf);
  for (const [program, ...words] of [
    ['pdfimages', '-png', 'a.pdf', 'a'],
    ['mutool', 'draw', '-q', '-r', '72', '-o', 'a-000.png', 'a.pdf'],
  ] as const) {
    execFileSync(program, words, { cwd: directory, stdio: ['ignore', 'pipe', 'ignore'] });
    const seen = await sharp(join(directory, 'a-000.png')).toColourspace('b-w').raw().toBuffer();
    const wrong = dots.filter((value, at) => value > 127 !== (seen[at] ?? 0) > 127).length;
    assert.equal(wrong, 0, program);
  }
});
