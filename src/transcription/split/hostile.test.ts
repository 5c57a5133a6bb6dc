import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { deflateSync } from 'node:zlib';
import sharp from 'sharp';
import { openJobFiles } from '../../engine/processor/job-files.ts';
import { isPermanent } from '../../engine/processor/processor.ts';
import { newFile } from '../../engine/request/request.ts';
import { eventually } from '../../engine/testing/eventually.ts';
import { makeZip } from '../../formats/zip/testing/make-zip.ts';
import type { SplitProgress } from '../page/order.ts';
import { type SplitPages, splitPages } from './pages.ts';
import { pixelsFor } from './pdf/render-page.ts';
import split from './split.ts';
import { changed, greyFields, overlappingStrips, writeTiff } from './testing/hostile-images.ts';
import { crookedPdfs, hugePdfs, pdfOf, slowPage, slowPdfs } from './testing/hostile-pdf.ts';
import { makePdf } from './testing/make-pdf.ts';

const closing: (() => Promise<void> | undefined)[] = [];
after(async () => {
  for (const close of closing) await close();
});

async function splitter(config: string) {
  const setup = { stage: 's', version: 1, config, files: [], random: Math.random };
  const process_ = await split({ ...setup, file: async (name) => name });
  closing.push(() => process_.close?.());
  return async (
    source: Uint8Array,
    options: { from?: SplitProgress; signal?: AbortSignal } = {},
  ): Promise<SplitPages> => {
    const order = { document: 'd', page: 1, name: 'kronika.pdf', split: options.from };
    const given = [newFile('source', source), newFile('order.json', Buffer.from(JSON.stringify(order)))];
    const files = openJobFiles({ get: () => assert.fail('all is in memory') }, given);
    const { signal = new AbortController().signal } = options;
    await process_({ uuid: 'u', stage: 's', attempt: 1, files, signal, log() {} });
    await files.result();
    return splitPages.parse(JSON.parse(Buffer.from(await files.read('pages.json')).toString()));
  };
}

const strict = await splitter('PAGE_SECONDS = 1\nPAGE_MEGABYTES = 700');

for (const [what, make] of Object.entries(slowPdfs)) {
  test(`${what} is given up after its time`, async () => {
    await assert.rejects(strict(make()), (error: Error) => {
      assert.ok(isPermanent(error), 'it is not tried again');
      assert.match(error.message, /more than 1 s of processor time|more than 700 MB|more than 5 s/);
      return true;
    });
  });
}

for (const [what, make] of Object.entries({ ...hugePdfs, ...crookedPdfs })) {
  test(`${what} is refused or drawn within the limits`, async () => {
    const { pages } = await strict(make()).catch((error: unknown) => {
      assert.ok(isPermanent(error), String(error));
      return { pages: [] };
    });
    for (const { width = 0, height = 0 } of pages) assert.ok(width * height <= 150e6);
  });
}

test('the pixels of a page are within the limits, whatever its sides', () => {
  const limits = { pixels: 4e6, bytes: 1 };
  const sides = [0, -1, 0.0001, 0.5, 1, 8.27, 100, 1e4, 1e6, 1e38, Infinity, -Infinity, Number.NaN];
  for (const across of sides) {
    for (const down of sides) {
      const size = pixelsFor({ across, down }, 300, limits);
      if (!size) continue;
      assert.ok(size.width >= 1 && size.height >= 1, `${across} x ${down}`);
      assert.ok(size.width * size.height <= limits.pixels, `${across} x ${down}`);
      assert.ok(Math.max(size.width, size.height) <= 65_535, `${across} x ${down}`);
    }
  }
  assert.deepEqual(pixelsFor({ across: 8, down: 4 }, 300, limits), { width: 2400, height: 1200, dpi: 300 });
});

test('a page that takes too long fails alone, with its number, and the others are there', async () => {
  const { pages } = await strict(pdfOf([undefined, slowPage, undefined]));
  assert.deepEqual(
    pages.map(({ part, file }) => [part, file]),
    [
      [1, 'pages/0001'],
      [2, undefined],
      [3, 'pages/0003'],
    ],
  );
  assert.match(pages[1]?.error ?? '', /it takes more than/);
});

test('a source with many such pages is given up', async () => {
  const quick = await splitter('PAGE_SECONDS = 1');
  // Nine of its pages were too slow in earlier parts.
  const from = { pages: 1, seconds: 9, overruns: 9 };
  const { pages } = await quick(pdfOf([undefined, slowPage, undefined, undefined]), { from });
  assert.deepEqual(
    pages.map(({ part, file }) => [part, file]),
    [
      [2, undefined],
      [3, undefined],
    ],
  );
  assert.match(
    pages[1]?.error ?? '',
    /the rest of the source was not opened, because 10 pages took too much/,
  );
});

test('a source that takes too long as a whole is given up', async () => {
  const quick = await splitter('PAGE_SECONDS = 60');
  const three = makePdf(Array.from({ length: 3 }, () => ({ width: 72, height: 72 })));
  const { pages } = await quick(three, { from: { pages: 1, seconds: 700, overruns: 0 } });
  assert.equal(pages.length, 2);
  assert.match(pages[1]?.error ?? '', /because 2 pages took 70\d s of processor time/);
});

test('a long source comes in parts that together are the whole', async () => {
  const picture = { create: { width: 9, height: 9, channels: 3, background: '#fff' } } as const;
  const png = await sharp(picture).png().toBuffer();
  const five = makePdf(Array.from({ length: 5 }, (_, index) => ({ width: 72 + index * 72, height: 72 })));
  const zip = makeZip([
    { name: '1.png', content: png },
    { name: '2.pdf', content: five },
    { name: '3.txt', content: 'not a page' },
    { name: '4.tif', content: writeTiff(greyFields(9, 9), Buffer.alloc(81)) },
    { name: '5.png', content: png },
  ]);
  const whole = (await strict(zip)).pages;
  assert.equal(whole.length, 9);
  // The clock has no smaller part than a second: each of these sees to one page at least.
  const parts = await splitter('PART_SECONDS = 1');
  for (let pages = 0; pages < whole.length; pages++) {
    const found = await parts(zip, { from: { pages, seconds: 0, overruns: 0 } });
    assert.deepEqual(found.pages, whole.slice(pages, pages + found.pages.length));
    assert.equal(found.after, pages);
    assert.equal(found.next?.pages ?? whole.length, pages + found.pages.length);
  }
});

test('a source that must wait for its next part says where it goes on', async () => {
  const slowly = await splitter('PART_SECONDS = 1\nPAGE_SECONDS = 2');
  const { pages, next } = await slowly(pdfOf([slowPage, undefined, undefined]), {
    from: { pages: 0, seconds: 0, overruns: 0 },
  });
  assert.ok(next, 'there is more');
  assert.deepEqual([pages.length, next.pages, next.overruns], [1, 1, 1]);
  assert.ok(next.seconds >= 2, `${next.seconds} s`);
});

test('a TIFF whose strips are all the same long piece is given up after its time', async () => {
  await assert.rejects(strict(overlappingStrips(60_000, 8_000_000)), (error: Error) => {
    assert.ok(isPermanent(error));
    return true;
  });
});

const tiffs = {
  'of 4,000 million rows': changed(greyFields(10, 10), { 257: [257, 4, 1, 4_000_000_000] }),
  'with a strip of 4 GB': changed(greyFields(10, 10), { 279: [279, 4, 1, 4_000_000_000] }),
  'with 4,000 million strips': changed(greyFields(10, 10), {
    273: [273, 4, 4_000_000_000, 8],
    278: [278, 4, 1, 1],
  }),
  'with 65,535 samples of 65,535 bits': changed(greyFields(10, 10), {
    258: [258, 3, 1, 65_535],
    277: [277, 3, 1, 65_535],
  }),
  'without a size': changed(greyFields(10, 10), { 256: undefined, 257: undefined }),
  'with sides of zero': changed(greyFields(10, 10), { 256: [256, 4, 1, 0], 257: [257, 4, 1, 0] }),
};
for (const [what, fields] of Object.entries(tiffs)) {
  test(`a TIFF ${what} costs no more than a good one`, async () => {
    const { pages } = await strict(writeTiff(fields, Buffer.alloc(100))).catch((error: unknown) => {
      assert.ok(isPermanent(error), String(error));
      return { pages: [] };
    });
    assert.ok(pages.length <= 1);
  });
}

test('a PNG of a hundred million pixels in one row is refused before it is decoded', async () => {
  const side = Buffer.alloc(4);
  side.writeUInt32BE(100_000_000);
  const picture = { create: { width: 9, height: 1, channels: 3, background: '#fff' } } as const;
  const png = await sharp(picture).png().toBuffer();
  side.copy(png, 16);
  const crc = Buffer.alloc(4);
  crc.writeUInt32BE((await import('node:zlib')).crc32(png.subarray(12, 29)));
  crc.copy(png, 29);
  await assert.rejects(strict(png), /100000000 x 1 pixels; the limit is 65535 on each side/);
});

test('work that is cancelled ends at once, and leaves no process behind', async () => {
  const slow = await splitter('PAGE_SECONDS = 600');
  const stop = new AbortController();
  const working = slow(slowPdfs['a shading with a costly function']?.() ?? Buffer.alloc(0), {
    signal: stop.signal,
  });
  const helpers = () => childrenOf(process.pid).filter((pid) => commandOf(pid).includes('reader.ts'));
  const before = helpers();
  const [helper] = await eventually('a helper is at work', () => {
    const found = helpers().filter((pid) => !before.includes(pid));
    return found.length > 0 && found;
  });
  stop.abort();
  await assert.rejects(working, { name: 'AbortError' });
  await eventually('it is gone', () => !helpers().includes(helper ?? 0));
});

function childrenOf(pid: number): number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  return text === '' ? [] : text.split(' ').map(Number);
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

test('a ZIP of links, absolute paths and equal names gives pages, and writes nothing elsewhere', async () => {
  const png = await sharp({ create: { width: 9, height: 9, channels: 3, background: '#fff' } })
    .png()
    .toBuffer();
  const { pages } = await strict(
    makeZip([
      { name: '/etc/passwd', content: png },
      { name: '../../page', content: png },
      { name: 'page', content: png },
      { name: 'page', content: png },
      // What a link is in a ZIP: a file with the path.
      { name: 'link', content: '/etc/passwd' },
      { name: 'bomb.pdf', content: deflateSync(Buffer.alloc(1000)) },
    ]),
  );
  assert.equal(pages.length, 6);
  assert.equal(pages.filter(({ file }) => file).length, 4);
  assert.ok(pages.every(({ name }) => !name.startsWith('/') && !name.includes('..')));
});
