import assert from 'node:assert/strict';
import { test } from 'node:test';
import sharp from 'sharp';
import { runProcessor } from '../../engine/processor/run-processor.ts';
import { compareTexts, errorRate } from '../evaluation/compare.ts';
import layout from '../layout/layout.ts';
import { page as pageSchema } from '../page/page.ts';
import { transformation } from '../page/transformation.ts';
import prepare from '../prepare/prepare.ts';
import { makeSample } from '../testing/samples/make-sample.ts';
import { toText } from '../text/text.ts';
import recognise from './recognise.ts';

/** What went wrong on real scans, on pages drawn to show the same fault. */
const small = { dpi: 150, share: 0.35 };

async function read(source: Uint8Array, truth: string) {
  const first = await runProcessor(prepare, { files: { source } });
  const second = await runProcessor(layout, { files: first.contents });
  const config = 'ENGINE = tesseract';
  const { files, contents, log } = await runProcessor(recognise, { config, files: second.contents });
  const page = pageSchema.parse(JSON.parse(files['page.json'] ?? ''));
  const text = toText(page);
  const made = transformation.parse(JSON.parse(files['prepared.json'] ?? ''));
  const { characters, words } = compareTexts(truth, text);
  return {
    errors: errorRate(characters),
    wrongWords: errorRate(words),
    text,
    page,
    made,
    image: contents['image.png'],
    log: log.join('\n'),
  };
}

const ink = (width: number, height: number, background = '#000') =>
  sharp({ create: { width, height, channels: 3, background } })
    .png()
    .toBuffer();

test('two columns come one after the other, and lines torn at a wide gap are whole again', async () => {
  const { image, truth } = await makeSample('two-columns', 117);
  const { errors } = await read(image, truth);
  assert.ok(errors < 0.006, `${errors}`);
});

test('a caption over the gutter cuts nothing', async () => {
  const { image, truth } = await makeSample('two-columns', 3, { dpi: 150, share: 0.5 });
  const { width = 0, height = 0 } = await sharp(image).metadata();
  const caption = Buffer.from(
    `<svg width="${width}" height="40"><text x="${width / 2}" y="28" font-size="26" text-anchor="middle">Obraz 7</text></svg>`,
  );
  const with_ = await sharp(image)
    .extend({ bottom: 60, background: '#fff' })
    .composite([{ input: caption, left: 0, top: height + 5 }])
    .png()
    .toBuffer();
  const { errors } = await read(with_, `${truth}\nObraz 7`);
  assert.ok(errors < 0.02, `${errors}`);
});

test('pale marks beside the text take no letters with them', async () => {
  const { image, truth } = await makeSample('clean', 4, small);
  const { height = 0 } = await sharp(image).metadata();
  const pencil = await Promise.all(
    Array.from({ length: 24 }, async (_, at) => ({
      input: await ink(150, 3, '#b8b8b8'),
      left: 100 + 160 * (at % 6),
      top: height + 20 + 40 * Math.floor(at / 6),
    })),
  );
  const marked = sharp(image).extend({ bottom: 220, background: '#fff' }).composite(pencil);
  const { errors, log } = await read(await marked.png().toBuffer(), truth);
  assert.doesNotMatch(log, /other side removed/);
  assert.ok(errors < 0.05, `${errors}`);
});

test('text inside a frame is read: a picture is not cut out with all that it surrounds', async () => {
  const { image, truth } = await makeSample('clean', 5, small);
  const { width = 0, height = 0 } = await sharp(image).metadata();
  const [across, down] = [width - 60, height - 40];
  const bars = [
    { input: await ink(across, 6), left: 30, top: 20 },
    { input: await ink(across, 6), left: 30, top: 14 + down },
    { input: await ink(6, down), left: 30, top: 20 },
    { input: await ink(6, down), left: 24 + across, top: 20 },
  ];
  const { wrongWords, text } = await read(await sharp(image).composite(bars).png().toBuffer(), truth);
  assert.ok(wrongWords < 0.08, text);
});

for (const turn of [90, 180, 270]) {
  test(`a colour scan turned by ${turn} degrees is read upright, and its image stands upright too`, async () => {
    const { image, truth } = await makeSample('fraktur', 6, small);
    const scan = await sharp(image)
      .rotate(turn)
      .toColourspace('srgb')
      .composite([
        {
          input: { create: { width: 40, height: 40, channels: 3, background: '#d8c8a8' } },
          tile: true,
          blend: 'multiply',
        },
      ])
      .jpeg()
      .toBuffer();
    const { errors, made, image: read_ } = await read(scan, truth);
    assert.ok(errors < 0.05, `${errors}`);
    assert.equal(made.shape?.turn, 360 - turn);
    const { width, height } = await sharp(read_).metadata();
    assert.deepEqual({ width, height }, made.image);
  });
}

test('dots and a huge headline don’t mislead about the size of letters', async () => {
  const { image, truth } = await makeSample('clean', 8, small);
  const { width = 0 } = await sharp(image).metadata();
  const dots = await Promise.all(
    Array.from({ length: 150 }, async (_, at) => ({
      input: await ink(2, 2),
      left: 40 + ((at * 7) % (width - 90)),
      top: 20 + 9 * Math.floor((at * 7) / (width - 90)),
    })),
  );
  const { made, errors } = await read(await sharp(image).composite(dots).png().toBuffer(), truth);
  assert.equal(made.shape?.scale, 1);
  assert.ok(errors < 0.1, `${errors}`);
});

test('text outside the regions of a layout is not read, and the page says so', async () => {
  const { image, truth } = await makeSample('clean', 5, { dpi: 150, share: 0.5 });
  const { page, errors } = await read(image, truth);
  assert.ok(errors < 0.05, `${errors}`);
  assert.equal(page.unread, undefined, 'all was read');
  const lines = page.regions.flatMap((one) => one.paragraphs.flatMap((paragraph) => paragraph.lines));
  const middle = lines[Math.floor(lines.length / 2)]?.box.top ?? 0;
  const upper = { left: 0, top: 0, width: page.width, height: middle - 2 };
  const layout = { ...page, regions: [{ kind: 'text', box: upper, paragraphs: [] }] };
  const { files, log } = await runProcessor(recognise, {
    config: 'ENGINE = tesseract\nLANGUAGE = ces',
    files: { source: image, 'layout.json': JSON.stringify(layout) },
  });
  const { unread } = pageSchema.parse(JSON.parse(files['page.json'] ?? ''));
  const missing = lines.length - Math.floor(lines.length / 2);
  assert.ok(Math.abs((unread?.lines ?? 0) - missing) <= 2, `${unread?.lines} of ${missing}`);
  assert.ok(unread?.boxes.every(({ top, height }) => top + height > middle));
  assert.match(log.join('\n'), /lines' worth of ink is unread/);
});

test('the two pages of a spread are read one after the other, each with its own skew', async () => {
  const [left, right] = [await makeSample('clean', 11, small), await makeSample('clean', 12, small)];
  const { width = 0, height = 0 } = await sharp(left.image).metadata();
  const tilted = await sharp(right.image)
    .rotate(1.2, { background: '#fff' })
    .resize({ width, height })
    .toBuffer();
  const spread = await sharp({ create: { width: 2 * width, height, channels: 3, background: '#fff' } })
    .composite([
      { input: left.image, left: 0, top: 0 },
      { input: tilted, left: width, top: 0 },
      { input: await ink(3, height, '#777'), left: width, top: 0 },
    ])
    .png()
    .toBuffer();
  const { errors, page, log } = await read(spread, `${left.truth}\n${right.truth}`);
  assert.match(log, /two pages/);
  assert.ok(errors < 0.05, `${errors}`);
  const texts = page.regions.filter(({ kind }) => kind === 'text');
  assert.equal(texts.length, 2);
  assert.deepEqual(
    texts.map(({ box }) => box.left + box.width / 2 > width),
    [false, true],
  );
});
