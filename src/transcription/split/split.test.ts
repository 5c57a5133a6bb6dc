import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdir, readlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { test } from 'node:test';
import { crc32 } from 'node:zlib';
import sharp from 'sharp';
import { runProcessor } from '../../engine/processor/run-processor.ts';
import { eventually } from '../../engine/testing/eventually.ts';
import { page as pageSchema } from '../page.ts';
import { type SplitPage, splitPages } from './pages.ts';
import split from './split.ts';
import { makeFax } from './testing/make-fax.ts';
import { makePdf, protectedPdf } from './testing/make-pdf.ts';
import { makeZip } from './testing/make-zip.ts';
import { jpeg2000 } from './testing/sample-jpeg2000.ts';

interface Result {
  pages: SplitPage[];
  contents: Record<string, Uint8Array>;
  log: string[];
}

async function splitFile(
  source: Uint8Array,
  options: { name?: string; config?: string } = {},
): Promise<Result> {
  const { name = 'scan', config = '' } = options;
  const order = JSON.stringify({ document: 'd', page: 1, name });
  const { files, contents, log } = await runProcessor(split, {
    config,
    files: { source, 'order.json': order },
  });
  return { pages: splitPages.parse(JSON.parse(files['pages.json'] ?? '')).pages, contents, log };
}

function blank(width: number, height: number, density = 200) {
  return sharp({ create: { width, height, channels: 3, background: '#fff' } }).withMetadata({ density });
}

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

test('a scan in a PDF is extracted unchanged', async () => {
  const pdf = makePdf([{ width: 216, height: 288, jpeg: { bytes: jpeg, width: 600, height: 800 } }]);
  const { pages, contents } = await splitFile(pdf);
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

test('pages of a ZIP come in the natural order of their names, without folders and system metadata files', async () => {
  const zip = makeZip([
    { name: 'fond/10.png', content: png },
    { name: 'fond/', content: '' },
    { name: '__MACOSX/fond/._2.png', content: 'x' },
    { name: 'fond/.DS_Store', content: 'x' },
    { name: 'fond/2.png', content: png },
    {
      name: 'fond/3.pdf',
      content: makePdf([
        { width: 144, height: 144 },
        { width: 144, height: 144 },
      ]),
    },
  ]);
  const { pages } = await splitFile(zip);
  assert.deepEqual(
    pages.map(({ name, part }) => [name, part]),
    [
      ['fond/2.png', undefined],
      ['fond/3.pdf', 1],
      ['fond/3.pdf', 2],
      ['fond/10.png', undefined],
    ],
  );
});

test('a bad file in a ZIP doesn’t affect the others', async () => {
  const { pages, log } = await splitFile(
    makeZip([
      { name: '1.png', content: png },
      { name: '2.png', content: png.subarray(0, 60) },
      { name: '3.txt', content: 'Notes of the archivist' },
      { name: '4.zip', content: makeZip([{ name: 'a.png', content: png }]) },
      { name: '5.png', content: '' },
      { name: '6.png', content: png, declaredSize: 7 },
      { name: '7.png', content: png },
    ]),
  );
  assert.deepEqual(
    pages.map((page) => page.file ?? 'none'),
    ['pages/0001', 'none', 'none', 'none', 'none', 'none', 'pages/0007'],
  );
  assert.match(pages[1]?.error ?? '', /damaged|truncated/);
  assert.match(pages[2]?.error ?? '', /it is plain text/);
  assert.match(pages[3]?.error ?? '', /ZIP in a ZIP/);
  assert.match(pages[4]?.error ?? '', /empty/);
  assert.match(log.at(-1) ?? '', /2 pages, 5 could not be opened/);
});

test('a ZIP with a damaged entry is closed afterwards', async () => {
  const zip = makeZip([
    { name: '1.png', content: randomBytes(2_000_000) },
    { name: '2.png', content: png },
  ]);
  // An unknown kind of block, right after the name.
  zip.fill(0xff, 35, 40);
  const { pages } = await splitFile(zip);
  assert.match(pages[0]?.error ?? '', /damaged/);
  await eventually('no deleted file is held open', async () => {
    const open = await readdir('/proc/self/fd');
    const targets = await Promise.all(open.map((one) => readlink(`/proc/self/fd/${one}`).catch(() => '')));
    return !targets.some((target) => target.startsWith(tmpdir()) && target.endsWith('(deleted)'));
  });
});

test('hostile names in a ZIP are sanitised', async () => {
  const names = [
    '../../etc/passwd.png',
    '/root/a.png',
    'C:\\x\\b.png',
    'line\nbreak.png',
    '"quoted".png',
    '🗺.png',
  ];
  const { pages, contents } = await splitFile(makeZip(names.map((name) => ({ name, content: png }))));
  assert.deepEqual(
    new Set(pages.map((page) => page.name)),
    new Set(['etc/passwd.png', 'root/a.png', 'C:/x/b.png', 'line break.png', '"quoted".png', '🗺.png']),
  );
  const written = Object.keys(contents).filter((name) => name.startsWith('pages/'));
  assert.deepEqual(
    written,
    ['1', '2', '3', '4', '5', '6'].map((number) => `pages/000${number}`),
  );
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
