import assert from 'node:assert/strict';
import { test } from 'node:test';
import sharp from 'sharp';
import { runProcessor } from '../../engine/processor/run-processor.ts';
import { histogramOf } from '../image/histogram.ts';
import { limitsOf } from '../image/image-limits.ts';
import { backToSource, transformation } from '../page/transformation.ts';
import { makeSample } from '../testing/samples/make-sample.ts';
import prepare from './prepare.ts';
import { parsePrepareConfig } from './prepare-config.ts';
import { viewOf } from './views.ts';

const small = { dpi: 150, share: 0.5 };
const clean = await makeSample('clean', 1, small);

async function prepared(source: Uint8Array, config = '') {
  const { contents, files, log } = await runProcessor(prepare, { config, files: { source } });
  const image = contents['image.png'];
  const json = files['prepared.json'];
  return {
    image,
    log: log.join(),
    transformation: json ? transformation.parse(JSON.parse(json)) : undefined,
  };
}

/** The share of paper-white pixels, and of those that are neither ink nor paper. */
async function shades(image: Uint8Array | undefined) {
  const data = await sharp(image).extractChannel(0).raw().toBuffer();
  const histogram = histogramOf(data);
  const share = (from: number, to: number) =>
    histogram.subarray(from, to).reduce((sum, count) => sum + count, 0) / data.length;
  return { white: share(240, 256), between: share(100, 240), black: share(0, 100) };
}

test('a good page is left unchanged', async () => {
  const { image, log } = await prepared(clean.image);
  assert.equal(image, undefined);
  assert.match(log, /nothing to improve/);
});

for (const angle of [-12, -2.5, 0.7, 5, 14]) {
  test(`a page skewed by ${angle} degrees is straightened to a tenth of a degree`, async () => {
    const source = await sharp(clean.image).rotate(angle, { background: '#fff' }).png().toBuffer();
    const { log } = await prepared(source);
    const found = Number(/the lines fell by (-?[\d.]+) degrees/.exec(log)?.[1]);
    assert.ok(Math.abs(found - angle) <= 0.1, log);
  });
}

for (const angle of [90, 180, 270]) {
  test(`a page turned by ${angle} degrees is turned back`, async () => {
    const { image } = await prepared(await sharp(clean.image).rotate(angle).png().toBuffer());
    const [now, before] = await Promise.all([image, clean.image].map((one) => sharp(one).raw().toBuffer()));
    assert.ok(now && before && now.length === before.length);
    const changed = now.reduce(
      (sum, value, at) => sum + (Math.abs(value - (before[at] ?? 0)) > 60 ? 1 : 0),
      0,
    );
    assert.ok(changed / now.length < 0.001, `${changed} pixels differ`);
  });
}

test('a place on the straightened page can be mapped back to the source', async () => {
  const { width = 0, height = 0 } = await sharp(clean.image).metadata();
  const source = await sharp(clean.image).rotate(4, { background: '#fff' }).png().toBuffer();
  const result = (await prepared(source)).transformation;
  assert.ok(result);
  // Rotation keeps the middle of the page.
  const middle = backToSource(result, result.image.width / 2, result.image.height / 2);
  assert.ok(
    Math.abs(middle.x - result.source.width / 2) < 1 && Math.abs(middle.y - result.source.height / 2) < 1,
  );
  const right = backToSource(result, result.image.width / 2 + 100, result.image.height / 2);
  assert.ok(right.y > middle.y + 5, 'in the source the line falls to the right');
  assert.ok(result.image.width >= width && result.image.height >= height);
});

test('the image has exactly the size that the transformation states', async () => {
  for (const angle of [4, -7.3]) {
    const source = await sharp(clean.image).rotate(angle, { background: '#fff' }).png().toBuffer();
    const { image, transformation: noted } = await prepared(source);
    const { width, height } = await sharp(image).metadata();
    assert.ok(
      Math.abs(width - (noted?.image.width ?? 0)) <= 1 && Math.abs(height - (noted?.image.height ?? 0)) <= 1,
    );
  }
});

test('shadows are removed: the paper is white everywhere', async () => {
  const { image } = await makeSample('uneven-light', 1, small);
  assert.ok((await shades(image)).white < 0.5);
  assert.ok((await shades((await prepared(image)).image)).white > 0.8);
});

test('the shadow in the fold of a book is not taken for text from the other side', async () => {
  const { image } = await makeSample('uneven-light', 1, { dpi: 100 });
  const { log } = await prepared(image);
  assert.match(log, /paper whitened/);
  assert.doesNotMatch(log, /other side removed/);
});

test('text that shows through from the other side is left alone: taking it away may take letters too', async () => {
  const { image } = await makeSample('bleed-through', 1, small);
  assert.equal((await prepared(image)).image, undefined);
});

test('for a second look it is removed', async () => {
  const { image } = await makeSample('bleed-through', 1, small);
  const view = await viewOf(
    'ghosts',
    image,
    undefined,
    parsePrepareConfig(''),
    limitsOf(parsePrepareConfig('')),
  );
  assert.ok(view);
  assert.ok(view.steps.some(({ name }) => name === 'other side'));
  const [before, after] = [await shades(image), await shades(view.png)];
  assert.ok(after.between < before.between / 3, JSON.stringify({ before, after }));
});

test('faded ink becomes dark', async () => {
  const { image } = await makeSample('faded', 1, small);
  assert.ok((await shades(image)).black < 0.001);
  assert.ok((await shades((await prepared(image)).image)).black > 0.01);
});

test('grain is smoothed away', async () => {
  const { image } = await makeSample('noise', 1, small);
  const { image: result, log } = await prepared(image);
  assert.match(log, /grain smoothed \(the paper had a grain of \d+ shades\)/);
  assert.ok((await shades(result)).white > 0.7);
});

test('the black around the sheet becomes paper', async () => {
  const { image } = await makeSample('black-border', 1, small);
  assert.ok((await shades(image)).black > 0.1);
  const { image: result, transformation: made } = await prepared(image);
  assert.ok((await shades(result)).black < 0.1);
  const { width = 0, height = 0 } = await sharp(image).metadata();
  const { sheet } = made ?? {};
  assert.ok(sheet && sheet.left + sheet.top > 0 && sheet.width > width / 2, JSON.stringify(sheet));
  assert.ok(sheet.left + sheet.width <= width && sheet.top + sheet.height <= height);
});

test('small letters are enlarged, even if the file states no resolution', async () => {
  const { image } = await makeSample('low-resolution', 1, { ...small, dpi: 170 });
  const unknown = await sharp(image).png().toBuffer();
  const { transformation: noted } = await prepared(unknown);
  assert.ok((noted?.matrix.a ?? 1) > 2, JSON.stringify(noted));
});

test('every step can be switched off', async () => {
  const off =
    'ORIENTATION = exif\nDESKEW = no\nBORDERS = no\nDENOISE = no\nFLATTEN = no\nCONTRAST = no\nRESOLUTION = no';
  for (const kind of ['skew', 'noise', 'bleed-through', 'black-border', 'low-resolution'] as const) {
    const { image } = await makeSample(kind, 1, { dpi: 100, share: 0.4 });
    assert.equal((await prepared(image, off)).image, undefined, kind);
  }
});

test('BINARISE makes the page black and white', async () => {
  const { between } = await shades((await prepared(clean.image, 'BINARISE = yes')).image);
  assert.equal(between, 0);
});

test('an empty page, a black page and a single pixel are left unchanged', async () => {
  for (const background of ['#fff', '#000']) {
    for (const size of [1, 300]) {
      const blank = sharp({ create: { width: size, height: size, channels: 3, background } });
      const { image, log } = await prepared(await blank.png().toBuffer());
      assert.equal(image, undefined, `${background}, ${size}: ${log}`);
      assert.match(log, /nothing to improve/);
    }
  }
});

test('a damaged image is refused with a clear message', async () => {
  const damaged = Buffer.from(clean.image.subarray(0, clean.image.length / 2));
  await assert.rejects(prepared(damaged), { name: 'PermanentFailure', message: /damaged or truncated/ });
});

test('a page that comes with text is left alone', async () => {
  const { contents, log } = await runProcessor(prepare, {
    files: { source: clean.image, 'page.json': '{}' },
  });
  assert.equal(contents['image.png'], undefined);
  assert.match(log.join(), /came with text/);
});

test('a wrong configuration is refused when the stage is created', () => {
  assert.throws(() => parsePrepareConfig('LETTER_HEIGHT = 1000'), /at most 60/);
});

test('the log never says that more than all of the ink is misjudged, however little ink there is', async () => {
  const [width, height] = [600, 800];
  const page = (inkEvery: number) => {
    const pixels = Buffer.alloc(width * height);
    for (let y = 0; y < height; y++)
      for (let x = 0; x < width; x++) {
        const paper = 60 + Math.round((x / width) * 180);
        pixels[y * width + x] = inkEvery > 0 && x % inkEvery < 3 && y % inkEvery < 3 ? paper / 4 : paper;
      }
    return sharp(pixels, { raw: { width, height, channels: 1 } })
      .png()
      .toBuffer();
  };
  for (const inkEvery of [0, 8, 80]) {
    const { log } = await prepared(await page(inkEvery));
    assert.match(log, /one threshold would misjudge more of the page than the ink covers/);
  }
});
