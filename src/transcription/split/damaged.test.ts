import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, test } from 'node:test';
import { crc32, deflateSync } from 'node:zlib';
import sharp from 'sharp';
import { openJobFiles } from '../../engine/processor/job-files.ts';
import { isPermanent } from '../../engine/processor/processor.ts';
import { newFile } from '../../engine/request/request.ts';
import { seededRandom } from '../../engine/simulation/chance.ts';
import { makeZip } from '../../formats/zip/testing/make-zip.ts';
import { readGrey } from '../image/open-image.ts';
import { splitPages } from './pages.ts';
import split from './split.ts';
import { changed, greyFields, mutate, type TiffField, writeTiff } from './testing/hostile-images.ts';
import { makeFax } from './testing/make-fax.ts';
import { makePdf } from './testing/make-pdf.ts';
import { jpeg2000, jpeg2000Codestream } from './testing/sample-jpeg2000.ts';

const limits = { pixels: 150e6, bytes: 1e9 };
const config = 'PAGE_SECONDS = 20';
const setup = {
  stage: 's',
  version: 1,
  config,
  files: [],
  random: Math.random,
  file: async (name: string) => name,
};
/** One processor for all files, as in a worker. */
const process_ = await split(setup);
after(() => process_.close?.());

/** What becomes of a source: for each page its pixels, or why it failed in `split` or where its image is read. */
async function fate(source: Uint8Array): Promise<(Uint8Array | string)[]> {
  const files = openJobFiles({ get: () => assert.fail('all is in memory') }, [
    newFile('source', source),
    newFile('order.json', Buffer.from('{"document":"d","page":1,"name":"fond.tif"}')),
  ]);
  const { signal } = new AbortController();
  try {
    await process_({ uuid: 'u', stage: 's', attempt: 1, files, signal, log() {} });
    const { pages } = splitPages.parse(JSON.parse(Buffer.from(await files.read('pages.json')).toString()));
    return await Promise.all(
      pages.map(async ({ error, file }) => {
        if (file === undefined) return error ?? '';
        const { data } = await readGrey(await files.read(file), limits).catch(permanent);
        return data;
      }),
    );
  } catch (error) {
    return [permanent(error).data];
  }
}

function permanent(error: unknown): { data: string } {
  if (!isPermanent(error)) throw error;
  return { data: (error as Error).message };
}

/** A page with some structure, in all formats that we can make. */
const pixels = Buffer.from(Array.from({ length: 300 * 200 }, (_, at) => ((at * 7) % 256) ^ (at >> 9)));
const page = () => sharp(pixels, { raw: { width: 300, height: 200, channels: 1 } }).toColourspace('b-w');
const tiff = (options: object) =>
  page()
    .tiff({ predictor: 'none', ...options })
    .toBuffer();
const good = {
  jpeg: await page().jpeg().toBuffer(),
  png: await page().png().toBuffer(),
  lzw: await tiff({ compression: 'lzw' }),
  deflate: await tiff({ compression: 'deflate' }),
  tiles: await tiff({ compression: 'deflate', tile: true, tileWidth: 64, tileHeight: 64 }),
  'jpeg in tiff': await tiff({ compression: 'jpeg' }),
  plain: writeTiff(greyFields(300, 200), pixels),
};

/** Zeros a stretch in the middle, as a bad sector does. */
function holed(bytes: Uint8Array, from = 0.4, length = 3000): Buffer {
  const copy = Buffer.from(bytes);
  const start = Math.floor(copy.length * from);
  return copy.fill(0, start, start + length);
}

function cutAndFilled(bytes: Uint8Array, share: number): Buffer {
  const copy = Buffer.from(bytes);
  return copy.fill(0, Math.floor(copy.length * share));
}

const damages: Record<string, Uint8Array> = {
  'a hole in an LZW TIFF': holed(good.lzw),
  'a hole in a deflated TIFF': holed(good.deflate),
  'a hole in a tiled TIFF': holed(good.tiles),
  'a small hole in a deflated TIFF': holed(good.deflate, 0.3, 100),
  'a small hole in a tiled TIFF': holed(good.tiles, 0.3, 100),
  'a JPEG in a TIFF that breaks off': holed(good['jpeg in tiff']).fill(0xff, 3000, 6000),
  'a hole in a fax': holed(makeFax(1728, 2000), 0.2, 20),
  'a TIFF whose pixels end before the image': writeTiff(
    changed(greyFields(300, 200), { 273: [273, 4, 1, 30_000] }),
    pixels,
  ),
  'a hole in a PNG': holed(good.png),
  'a PNG with a wrong checksum': (() => {
    const copy = Buffer.from(good.png);
    const at = copy.indexOf('IDAT');
    const end = at + 4 + copy.readUInt32BE(at - 4);
    copy[end] = (copy[end] ?? 0) ^ 1;
    return copy;
  })(),
  'a JPEG cut in the middle': good.jpeg.subarray(0, good.jpeg.length * 0.6),
  'a JPEG cut in the middle, with an end marker': Buffer.concat([
    good.jpeg.subarray(0, good.jpeg.length * 0.6),
    Buffer.from([0xff, 0xd9]),
  ]),
  'a JPEG of which only the first half was copied': cutAndFilled(good.jpeg, 0.5),
  'a JPEG 2000 file cut in the middle': jpeg2000.subarray(0, jpeg2000.length * 0.7),
  'a JPEG 2000 file without its last byte of data': Buffer.concat([
    jpeg2000.subarray(0, jpeg2000.length - 3),
    Buffer.from([0xff, 0xd9]),
  ]),
  'a JPEG 2000 file of which only the first half was copied': cutAndFilled(jpeg2000, 0.5),
  'a bare codestream cut in the middle': jpeg2000Codestream.subarray(0, jpeg2000Codestream.length * 0.7),
  'a JPEG 2000 file with a broken coding style': (() => {
    const copy = Buffer.from(jpeg2000);
    const at = copy.indexOf(Buffer.from([0xff, 0x52]));
    return copy.fill(0xff, at + 4, at + 14);
  })(),
};
for (const [what, bytes] of Object.entries(damages)) {
  test(`${what} fails, and is not reported as done with grey pixels`, async () => {
    const [reason] = await fate(bytes);
    assert.equal(typeof reason, 'string', 'it was read');
    assert.match(String(reason), /damaged|truncated/);
  });
}

const chunk = (type: string, content: Uint8Array) => {
  const bytes = Buffer.alloc(12 + content.length);
  bytes.writeUInt32BE(content.length, 0);
  bytes.write(type, 4, 'latin1');
  bytes.set(content, 8);
  bytes.writeUInt32BE(crc32(bytes.subarray(4, 8 + content.length)), 8 + content.length);
  return bytes;
};
const withChunk = (added: Uint8Array) =>
  Buffer.concat([good.png.subarray(0, 33), added, good.png.subarray(33)]);
const wrongProfile = Buffer.concat([Buffer.from('x\0\0'), deflateSync(Buffer.alloc(300, 1))]);
const eoi = good.jpeg.lastIndexOf(Buffer.from([0xff, 0xd9]));
const plain = greyFields(300, 200);
const more: TiffField[] = [
  [50_000, 4, 1, 5],
  [65_001, 2, 4, 0x414141],
];
const oddities: Record<string, Uint8Array> = {
  'a TIFF with unknown tags': writeTiff([...plain, ...more], pixels),
  'a TIFF whose tags are not sorted': writeTiff([...plain].reverse(), pixels),
  'a TIFF without the length of its strip': writeTiff(changed(plain, { 279: undefined }), pixels),
  'a TIFF with a date that does not end': writeTiff([...plain, [306, 2, 3, 0x303030]], pixels),
  'a PNG with a wrong colour profile': withChunk(chunk('iCCP', wrongProfile)),
  'a PNG with a chunk of another program': withChunk(chunk('abCd', Buffer.from('hello'))),
  'a PNG with other data behind it': Buffer.concat([good.png, Buffer.alloc(5000)]),
  'a PNG without its end chunk': good.png.subarray(0, -12),
};
for (const [what, bytes] of Object.entries(oddities)) {
  test(`${what} is read as it is`, async () => {
    const [found] = await fate(bytes);
    assert.deepEqual(Buffer.from(found ?? []), pixels);
  });
}

const oddJpegs: Record<string, Uint8Array> = {
  'without an end marker': good.jpeg.subarray(0, eoi),
  'with other data behind it': Buffer.concat([good.jpeg, Buffer.alloc(5000, 7)]),
  'with stray bytes before its end marker': Buffer.concat([
    good.jpeg.subarray(0, eoi),
    Buffer.from([1, 2, 3, 0xff, 0xd9]),
  ]),
};
for (const [what, bytes] of Object.entries(oddJpegs)) {
  test(`a JPEG ${what} is read as it is`, async () => {
    const [expected] = await fate(good.jpeg);
    assert.deepEqual((await fate(bytes))[0], expected);
  });
}

test('a bare JPEG 2000 codestream is read like one in a JP2 file, with or without its end marker', async () => {
  const [expected] = await fate(jpeg2000);
  assert.ok(expected instanceof Uint8Array);
  assert.deepEqual(await fate(jpeg2000Codestream), [expected]);
  assert.deepEqual(await fate(jpeg2000Codestream.subarray(0, -2)), [expected]);
});

test('a TIFF whose pages lead back to the first is read up to there', async () => {
  const once = writeTiff(plain, pixels);
  const [found, reason] = await fate(writeTiff(plain, pixels, once.readUInt32LE(4)));
  assert.deepEqual(Buffer.from(found ?? []), pixels);
  assert.match(String(reason), /truncated after page 1/);
});

test('whatever happens to a good file, its pages are read or fail for good', async () => {
  const seed = 20_261_116;
  const random = seededRandom(seed);
  const files: Record<string, Uint8Array> = {
    ...good,
    jp2: jpeg2000,
    fax: makeFax(640, 640),
    pdf: makePdf([
      { width: 72, height: 72, lines: ['one'] },
      { width: 72, height: 72, jpeg: { bytes: good.jpeg, width: 300, height: 200 } },
    ]),
    zip: makeZip([
      { name: 'a.png', content: good.png },
      { name: 'b.tif', content: good.lzw },
    ]),
    sample: await readFile(new URL('../../../samples/scans/skew-1.png', import.meta.url)),
  };
  for (const [name, file] of Object.entries(files)) {
    for (let round = 0; round < 4; round++) {
      const { bytes, how } = mutate(file, random);
      await fate(bytes).catch((error: unknown) => {
        assert.fail(`seed ${seed}, ${name}, ${how}, round ${round}: ${error}`);
      });
    }
  }
});
