import assert from 'node:assert/strict';
import { test } from 'node:test';
import sharp from 'sharp';
import { runProcessor } from '../../engine/processor/run-processor.ts';
import { type Page, page as pageSchema } from '../page/page.ts';
import { makeSample, type SampleKind } from '../testing/samples/make-sample.ts';
import layout from './layout.ts';

async function layoutOf(source: Uint8Array, config = 'COLUMNS = yes'): Promise<Page> {
  const { files } = await runProcessor(layout, { config, files: { source } });
  return pageSchema.parse(JSON.parse(files['layout.json'] ?? ''));
}

const small = { dpi: 150, share: 0.5 };
const columns = await makeSample('two-columns', 1, small);

test('two columns under a heading: heading, left column, right column', async () => {
  const { width, regions } = await layoutOf(columns.image);
  assert.deepEqual(
    regions.map((region) => region.kind),
    ['text', 'text', 'text'],
  );
  const [heading, left, right] = regions.map((region) => region.box);
  assert.ok(heading && left && right);
  assert.ok(heading.top + heading.height <= left.top + 5, 'the heading is above');
  assert.ok(
    heading.left < width / 2 && heading.left + heading.width > width / 2,
    'and runs across the middle',
  );
  assert.ok(
    left.left + left.width <= width / 2 + 5 && right.left >= width / 2 - 5,
    'columns are side by side',
  );
});

test('a column has the lines printed in it', async () => {
  const { regions } = await layoutOf(columns.image);
  const [, ...paragraphs] = columns.truth.trim().split('\n\n');
  const printed = paragraphs.join('\n').split('\n').length;
  const [, ...found] = regions.map(
    (region) => region.paragraphs.flatMap((paragraph) => paragraph.lines).length,
  );
  assert.equal(
    found.reduce((sum, count) => sum + count, 0),
    printed,
  );
});

test('notes in the margin are a region of their own', async () => {
  const { image } = await makeSample('marginalia', 1, small);
  const { width, regions } = await layoutOf(image);
  assert.equal(regions.length, 2);
  const [note, text] = regions.map((region) => region.box);
  assert.ok(note && text && note.width < width * 0.25 && text.width > width * 0.5);
});

for (const kind of ['clean', 'typewriter', 'fraktur', 'noise', 'low-resolution'] satisfies SampleKind[]) {
  test(`a page with one column is left to the recogniser (${kind})`, async () => {
    const { image } = await makeSample(kind, 1, { dpi: 150, share: 0.4 });
    assert.deepEqual((await layoutOf(image)).regions, []);
  });
}

test('a rule and a picture between columns are not text', async () => {
  const { width = 0, height = 0 } = await sharp(columns.image).metadata();
  const box = (across: number, down: number) =>
    sharp({ create: { width: across, height: down, channels: 3, background: '#000' } })
      .png()
      .toBuffer();
  const middle = Math.round(width / 2);
  const image = await sharp(columns.image)
    .extend({ bottom: 300, background: '#fff' })
    .composite([
      { input: await box(4, height - 330), left: middle - 2, top: 280 },
      { input: await box(200, 200), left: 200, top: height + 50 },
    ])
    .png()
    .toBuffer();
  const { regions } = await layoutOf(image);
  assert.deepEqual(
    regions.map((region) => region.kind),
    ['text', 'text', 'text', 'image', 'separator'],
  );
  assert.ok(Math.abs((regions.at(-1)?.box.left ?? 0) - middle) < 5);
});

test('an empty page has no regions', async () => {
  const blank = sharp({ create: { width: 300, height: 400, channels: 3, background: '#fff' } });
  const { width, height, regions } = await layoutOf(await blank.png().toBuffer());
  assert.deepEqual({ width, height, regions }, { width: 300, height: 400, regions: [] });
});

test('by default the recogniser divides the page: its blocks are better on real scans', async () => {
  const { files, log } = await runProcessor(layout, { files: { source: columns.image } });
  assert.equal(files['layout.json'], undefined);
  assert.match(log.join(), /the recogniser divides the page/);
});

test('a page that comes with text is left alone', async () => {
  const { files, log } = await runProcessor(layout, { files: { source: columns.image, 'page.json': '{}' } });
  assert.equal(files['layout.json'], undefined);
  assert.match(log.join(), /came with text/);
});
