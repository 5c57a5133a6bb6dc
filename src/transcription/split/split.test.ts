import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crc32 } from 'node:zlib';
import sharp from 'sharp';
import { makeZip } from '../../formats/zip/testing/make-zip.ts';
import { makeFax } from './testing/make-fax.ts';
import { makePdf, protectedPdf } from './testing/make-pdf.ts';
import { jpeg2000 } from './testing/sample-jpeg2000.ts';
import { blank, splitFile } from './testing/split-file.ts';

const png = await blank(60, 80).png().toBuffer();
const jpeg = await blank(600, 800).toColourspace('b-w').jpeg().toBuffer();
/** Two pages with 16 bits per channel. */
const tiff = await sharp(
  [
    await blank(60, 80).toColourspace('grey16').png().toBuffer(),
    await blank(60, 80).toColourspace('grey16').png().toBuffer(),
  ],
  { join: { animated: true } },
)
  .tiff({ compression: 'lzw' })
  .toBuffer();

for (const [kind, image] of Object.entries({
  PNG: png,
  JPEG: await blank(60, 80).jpeg().toBuffer(),
  WebP: await blank(60, 80).webp().toBuffer(),
})) {
  test(`a ${kind} is one page and stays as it is`, async () => {
    const { pages, contents } = await splitFile(image, { name: 'kronika.bin' });
    assert.equal(pages.length, 1);
    const { name, width, height, file } = pages[0] ?? {};
    assert.deepEqual(
      { name, width, height, file },
      { name: 'kronika.bin', width: 60, height: 80, file: 'pages/0001' },
    );
    assert.deepEqual(Buffer.from(contents['pages/0001'] ?? []), image);
  });
}

test('the resolution of a scan is reported', async () => {
  assert.equal((await splitFile(png)).pages[0]?.dpi, 200);
});

test('a photograph taken sideways has its upright size', async () => {
  const turned = await blank(60, 80).withMetadata({ orientation: 6 }).jpeg().toBuffer();
  const [page] = (await splitFile(turned)).pages;
  assert.deepEqual([page?.width, page?.height], [80, 60]);
});

test('every page of a TIFF becomes a page that any program can show', async () => {
  const { pages, contents } = await splitFile(tiff, { name: 'fond.tif' });
  assert.deepEqual(
    pages.map(({ name, part, file, width, height }) => ({ name, part, file, width, height })),
    [1, 2].map((part) => ({ name: 'fond.tif', part, file: `pages/000${part}`, width: 60, height: 80 })),
  );
  const { format, depth } = await sharp(contents['pages/0002']).metadata();
  assert.deepEqual({ format, depth }, { format: 'png', depth: 'uchar' });
});

test('a TIFF of one page stays as it came, and black-and-white pages of a longer one stay black and white', async () => {
  const one = makeFax(64, 80);
  const single = await splitFile(one, { name: 'scan.tif' });
  assert.deepEqual(Buffer.from(single.contents['pages/0001'] ?? []), one);
  const white = { raw: { width: 64, height: 160, channels: 1, pageHeight: 80 } } as const;
  const two = await sharp(Buffer.alloc(64 * 160, 255), white)
    .toColourspace('b-w')
    .tiff({ compression: 'ccittfax4', bitdepth: 1 })
    .toBuffer();
  const several = await splitFile(two, { name: 'book.tif' });
  const { format, bitsPerSample } = await sharp(several.contents['pages/0002']).metadata();
  assert.deepEqual([several.pages.length, format, bitsPerSample], [2, 'png', 1]);
});

test('lost pages of a truncated TIFF are reported, and the others are read', async () => {
  const noise = { type: 'gaussian', mean: 128, sigma: 60 } as const;
  const create = { width: 100, height: 100, channels: 3, background: '#fff', noise } as const;
  const image = await sharp({ create }).png().toBuffer();
  const whole = await sharp([image, image, image], { join: { animated: true } })
    .tiff({ compression: 'lzw' })
    .toBuffer();
  const { pages } = await splitFile(whole.subarray(0, whole.length * 0.5), { name: 'fond.tif' });
  assert.deepEqual(
    pages.map(({ part, file }) => ({ part, file })),
    [
      { part: 1, file: 'pages/0001' },
      { part: 2, file: undefined },
    ],
  );
  assert.match(pages[1]?.error ?? '', /truncated after page 1/);
});

for (const [kind, bytes] of Object.entries({
  'black and white (G4)': makeFax(64, 64),
  CMYK: await blank(64, 64).toColourspace('cmyk').tiff().toBuffer(),
})) {
  test(`a TIFF in ${kind} is read`, async () => {
    const { contents } = await splitFile(bytes);
    const data = await sharp(contents['pages/0001']).toColourspace('b-w').raw().toBuffer();
    assert.equal(data.length, 64 * 64);
    assert.ok((data[64 * 32] ?? 0) > 250, 'white paper is white');
  });
}

test('a JPEG 2000 image is read', async () => {
  const { pages, contents } = await splitFile(jpeg2000);
  assert.deepEqual([pages[0]?.width, pages[0]?.height], [40, 24]);
  const data = await sharp(contents['pages/0001']).toColourspace('b-w').raw().toBuffer();
  assert.deepEqual([data[8 * 40 + 25], data[0]], [0, 255], 'the black spot is where it was, on white');
});

const zeros = Buffer.alloc(80 * 1024 * 1024);
/** The header declares 20,000 x 20,000 pixels of one byte; that is enough to refuse it. */
const huge = Buffer.concat([
  png.subarray(0, 16),
  Buffer.from('00004e2000004e200800000000', 'hex'),
  Buffer.alloc(4),
  png.subarray(33),
]);
huge.writeUInt32BE(crc32(huge.subarray(12, 29)), 29);
const refused: [claim: string, source: Uint8Array, reason: RegExp, config?: string][] = [
  ['an empty file', Buffer.alloc(0), /the file is empty/],
  [
    'a text with the name of an image',
    Buffer.from('Milý pane, posílám skeny.'),
    /not an image, PDF or ZIP; it is plain text/,
  ],
  ['a Word file', Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0, 0]), /old Word.*export it as PDF/],
  ['a truncated PNG', png.subarray(0, png.length - 30), /truncated/],
  ['a truncated JPEG', jpeg.subarray(0, jpeg.length - 100), /truncated/],
  ['a truncated TIFF', tiff.subarray(0, 200), /damaged or truncated/],
  ['a truncated PDF', makePdf([{ width: 144, height: 144 }]).subarray(0, 60), /PDF is damaged or truncated/],
  ['a PDF with a password', protectedPdf(), /password-protected; save a copy without a password/],
  ['a PDF without pages', makePdf([]), /PDF (has no pages|is damaged)/],
  ['an image of 20,000 x 20,000 pixels', huge, /20000 x 20000 pixels.*the limit is 150 million/],
  ['a truncated JPEG 2000', Buffer.from('AAAADGpQICANCocKAAAAFGZ0', 'base64'), /JPEG 2000 image is damaged/],
  ['an empty ZIP', makeZip([]), /ZIP contains no files/],
  [
    'a truncated ZIP',
    makeZip([{ name: 'a.png', content: png }]).subarray(0, 100),
    /ZIP is damaged or truncated/,
  ],
  [
    'a ZIP with more files than allowed',
    makeZip([], { declaredCount: 60_000 }),
    /60000 files; the limit is 10000/,
  ],
  ['a ZIP bomb', makeZip([{ name: 'a.png', content: zeros }]), /looks like a ZIP bomb/],
  [
    'a ZIP that unpacks to too much',
    makeZip([{ name: 'a', content: zeros }]),
    /80 MB; the limit is 50 MB/,
    'MAX_MEGABYTES = 50',
  ],
  [
    'a file that is too large',
    Buffer.concat([png, zeros]),
    /the file has 80 MB; the limit is 10 MB/,
    'MAX_MEGABYTES = 10',
  ],
  [
    'a PDF of too many pages',
    makePdf([
      { width: 99, height: 99 },
      { width: 99, height: 99 },
    ]),
    /2 pages; the limit is 1/,
    'MAX_PAGES = 1',
  ],
];
for (const [claim, source, reason, config = ''] of refused) {
  test(`${claim} is refused with a clear reason`, async () => {
    await assert.rejects(splitFile(source, { config }), { name: 'PermanentFailure', message: reason });
  });
}

test('an image that shows two pages becomes two pages, if the stage is told so', async () => {
  const lines = (left: number) =>
    Array.from(
      { length: 12 },
      (_, at) => `<text x="${left}" y="${60 + 28 * at}" font-size="20">Byl jednou jeden kral a mel</text>`,
    ).join('');
  const spread = await sharp(
    Buffer.from(
      `<svg width="800" height="500"><rect width="800" height="500" fill="#fff"/>${lines(40)}${lines(440)}</svg>`,
    ),
  )
    .jpeg()
    .toBuffer();
  const whole = await splitFile(spread, { name: 'album.jpg' });
  assert.equal(whole.pages.length, 1);
  const { pages, contents } = await splitFile(spread, { name: 'album.jpg', config: 'SPREADS = yes' });
  assert.deepEqual(
    pages.map(({ name }) => name),
    ['album-left.jpg', 'album-right.jpg'],
  );
  for (const { file = '', width, height } of pages) {
    const found = await sharp(contents[file]).metadata();
    assert.deepEqual([found.format, found.width, found.height], ['jpeg', width, height]);
  }
  assert.equal((pages[0]?.width ?? 0) + (pages[1]?.width ?? 0), 800);
  const single = await splitFile(jpeg, { name: 'one.jpg', config: 'SPREADS = yes' });
  assert.equal(single.pages.length, 1);
});

test('each page comes with a thumbnail and a view for the screen, upright and never enlarged', async () => {
  const scan = await blank(3000, 1500).withMetadata({ orientation: 6 }).jpeg().toBuffer();
  const sizesOf = async (source: Buffer) => {
    const { pages, contents } = await splitFile(source);
    const [page] = pages;
    assert.ok(page?.thumbnail && page.view);
    const sizes = [page.thumbnail, page.view].map(async (name) => {
      const { format, width, height } = await sharp(contents[name]).metadata();
      return `${format} ${width}x${height}`;
    });
    return Promise.all(sizes);
  };
  assert.deepEqual(await sizesOf(scan), ['jpeg 160x320', 'jpeg 1000x2000']);
  assert.deepEqual(await sizesOf(png), ['jpeg 60x80', 'jpeg 60x80']);
});

test('views can be switched off', async () => {
  const off = await splitFile(png, { config: 'VIEWS = no' });
  assert.deepEqual(
    [off.pages[0]?.thumbnail, Object.keys(off.contents).toSorted()],
    [undefined, ['order.json', 'pages.json', 'pages/0001', 'source']],
  );
});
