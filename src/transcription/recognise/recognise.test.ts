import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { isPermanent } from '../../engine/processor/processor.ts';
import { temporaryDirectory } from '../../engine/testing/temporary-directory.ts';
import { runProcessor } from '../../index.ts';
import { loadSharp } from '../image/load-sharp.ts';
import { type Page, page } from '../page/page.ts';
import { makeSample, type Sample } from '../testing/samples/make-sample.ts';
import recognise from './recognise.ts';

let sample: Sample;
before(async () => {
  sample = await makeSample('clean', 1, { dpi: 150, share: 0.32 });
});

for (const engine of ['tesseract', 'tesseract.js']) {
  test(`${engine} reads a Czech page into words with places and confidence`, async () => {
    const { files, log } = await runProcessor(recognise, {
      config: `ENGINE = ${engine}`,
      files: { source: sample.image },
    });
    const read = pageOf(files);
    assert.ok(share(read, sample.truth) > 0.9, textOf(read));
    assert.equal(read.language, 'ces');
    assert.match(read.producer ?? '', new RegExp(`^${engine} \\d.*, ces [0-9a-f]{8}, stage test version 1$`));
    assert.match(log.join('\n'), /\d+ words in \d+ lines, confidence \d+ %/);
    for (const word of wordsOf(read)) {
      assert.ok(word.box.left + word.box.width <= read.width && word.box.width > 0);
      assert.ok((word.confidence ?? -1) >= 0);
    }
  });

  test(`${engine} reads only the regions of the layout, in their order`, async () => {
    const { width, height, regions } = pageOf(
      (await runProcessor(recognise, { config: `ENGINE = ${engine}`, files: { source: sample.image } }))
        .files,
    );
    const lines = regions.flatMap((region) => region.paragraphs.flatMap((paragraph) => paragraph.lines));
    const [first, last] = [lines.at(1), lines.at(-1)];
    assert.ok(first && last);
    const zone = (line: typeof first) => ({
      kind: 'text' as const,
      box: { left: 0, top: line.box.top - 6, width, height: line.box.height + 12 },
      paragraphs: [],
    });
    const layout: Page = { width, height, dpi: 150, regions: [zone(last), zone(first)] };
    const { files } = await runProcessor(recognise, {
      config: `ENGINE = ${engine}`,
      files: { source: sample.image, 'layout.json': JSON.stringify(layout) },
    });
    const read = pageOf(files);
    assert.deepEqual([read.width, read.height], [width, height]);
    const [upper, lower] = read.regions;
    assert.ok((upper?.box.top ?? 0) > (lower?.box.top ?? 0), JSON.stringify(read.regions.map((r) => r.box)));
    assert.equal(wordsOf(read).length, first.words.length + last.words.length);
  });

  test(`${engine} refuses a damaged image and an unknown language for good, with a clear message`, async () => {
    const config = `ENGINE = ${engine}`;
    const damaged = { source: sample.image.subarray(0, 60) };
    await assert.rejects(runProcessor(recognise, { config, files: damaged }), (error) => {
      assert.match(String(error), /damaged or truncated/);
      return isPermanent(error);
    });
    const files = { source: sample.image, 'order.json': orderFor('xyz') };
    await assert.rejects(runProcessor(recognise, { config, files }), (error) => {
      assert.match(String(error), /no model for xyz here; installed: .*ces/);
      return isPermanent(error);
    });
  });

  test(`${engine}: a model file of the stage adds a language`, async (t) => {
    const directory = await temporaryDirectory(t);
    const model = join(directory, 'model');
    await copyFile(join(tessdata(), 'ces.traineddata'), model);
    const { files } = await runProcessor(recognise, {
      config: `ENGINE = ${engine}`,
      files: { source: sample.image, 'order.json': orderFor('chronicle+ces') },
      stageFiles: { 'chronicle.traineddata': model },
    });
    const read = pageOf(files);
    assert.ok(share(read, sample.truth) > 0.9, textOf(read));
    assert.match(read.producer ?? '', /chronicle [0-9a-f]{8}, ces/);
  });
}

test('a photograph taken sideways is read upright, and a TIFF is converted for recognisers that can’t open it', async () => {
  const sharp = await loadSharp();
  const turned = await sharp(sample.image).rotate(90).withMetadata({ orientation: 8 }).jpeg().toBuffer();
  const read = pageOf((await runProcessor(recognise, { files: { source: turned } })).files);
  assert.ok(read.width > 1000 && share(read, sample.truth) > 0.9, textOf(read));
  const source = await sharp(sample.image).tiff().toBuffer();
  const foreign = await runProcessor(recognise, { config: 'ENGINE = tesseract.js', files: { source } });
  assert.ok(share(pageOf(foreign.files), sample.truth) > 0.9);
});

test('the prepared image is read instead of the source', async () => {
  const sharp = await loadSharp();
  const empty = await sharp({ create: { width: 400, height: 400, channels: 3, background: '#fff' } })
    .png()
    .toBuffer();
  const { files, log } = await runProcessor(recognise, {
    files: { source: sample.image, 'image.png': empty },
  });
  assert.deepEqual(wordsOf(pageOf(files)), []);
  assert.ok(log.includes('no text was found on the page'));
});

test('a page that comes with text is not recognised, unless asked', async () => {
  const text = JSON.stringify({ width: 10, height: 10, regions: [] });
  const given = { source: sample.image, 'page.json': text };
  assert.equal((await runProcessor(recognise, { files: given })).files['page.json'], text);
  const again = await runProcessor(recognise, { config: 'AGAIN = yes', files: given });
  assert.ok(wordsOf(pageOf(again.files)).length > 0);
});

test('without Tesseract, Pismak reads by itself, and tesseract.js what only its models can', async (t) => {
  const path = process.env.PATH;
  t.after(() => {
    process.env.PATH = path;
  });
  const model = join(tessdata(), 'ces.traineddata');
  process.env.PATH = '/nowhere';
  const { files } = await runProcessor(recognise, { files: { source: sample.image } });
  assert.match(pageOf(files).producer ?? '', /^pismak print [0-9a-f]{8}, onnxruntime [\d.]+, stage/);
  assert.ok(share(pageOf(files), sample.truth) > 0.9);
  const other = await runProcessor(recognise, {
    files: { source: sample.image, 'order.json': orderFor('chronicle') },
    stageFiles: { 'chronicle.traineddata': model },
  });
  assert.match(pageOf(other.files).producer ?? '', /^tesseract\.js .*chronicle/);
  await assert.rejects(runProcessor(recognise, { config: 'ENGINE = tesseract' }), /not installed here/);
});

test('with Tesseract, Pismak reads the lines that it is unsure of, and the surer reading of each line is kept', async () => {
  const sharp = await loadSharp();
  const sure = await runProcessor(recognise, {
    files: { source: sample.image, 'order.json': orderFor('ces') },
  });
  assert.match(pageOf(sure.files).producer ?? '', /^tesseract \d.*ces [0-9a-f]{8}.*; pismak print /);
  assert.doesNotMatch(sure.log.join('\n'), /read by pismak too/);
  const { width } = await sharp(sample.image).metadata();
  const source = await sharp(sample.image)
    .resize({ width: Math.round(width * 0.45) })
    .blur(0.8)
    .png()
    .toBuffer();
  const given = { source, 'order.json': orderFor('ces') };
  const shares = new Map<string, number>();
  for (const engine of ['tesseract', 'pismak', 'auto']) {
    const { files, log } = await runProcessor(recognise, { config: `ENGINE = ${engine}`, files: given });
    shares.set(engine, share(pageOf(files), sample.truth));
    if (engine === 'auto') assert.match(log.join('\n'), /read by pismak too, because/);
  }
  const [theirs = 0, ours = 0, both = 0] = shares.values();
  assert.ok(both >= Math.max(theirs, ours) - 0.06, JSON.stringify([...shares]));
});

test('any program can be the recogniser: it gets language and configuration, and writes hOCR', async () => {
  const config = `ENGINE = command
LANGUAGE = ces
COMMAND = tesseract in/image out/page -l "$PISMAK_LANGUAGE" $(cat config) hocr
---
--psm 6`;
  const { files } = await runProcessor(recognise, { config, files: { source: sample.image } });
  assert.ok(share(pageOf(files), sample.truth) > 0.9);
  const silent = runProcessor(recognise, {
    config: 'ENGINE = command\nCOMMAND = true',
    files: { source: sample.image },
  });
  await assert.rejects(silent, /must write one of out\/page\.json, out\/page\.hocr, out\/alto\.xml/);
});

test('the language is guessed from a quick first reading, and said, if nobody names it', async () => {
  const order = JSON.stringify({ document: 'd', page: 1, name: 'p', language: 'auto' });
  const { files, log } = await runProcessor(recognise, {
    config: 'ENGINE = tesseract',
    files: { source: sample.image, 'order.json': order },
  });
  assert.equal(pageOf(files).language, 'ces');
  assert.match(log.join('\n'), /language ces, guessed: .*ces [01]\.\d\d/);
  // Tesseract reads hardly a word of it.
  const { image } = await makeSample('bleed-through', 1, { dpi: 150, share: 0.32 });
  const faint = await runProcessor(recognise, { files: { source: image, 'order.json': order } });
  assert.equal(pageOf(faint.files).language, 'ces', faint.log.join('\n'));
});

function pageOf(files: Record<string, string>): Page {
  return page.parse(JSON.parse(files['page.json'] ?? 'null'));
}

function wordsOf({ regions }: Page) {
  return regions.flatMap((region) =>
    region.paragraphs.flatMap((paragraph) => paragraph.lines.flatMap((line) => line.words)),
  );
}

function textOf(read: Page): string {
  return wordsOf(read)
    .map((word) => word.text)
    .join(' ');
}

/** The share of the true words that were read. */
function share(read: Page, truth: string): number {
  const found = new Set(wordsOf(read).map((word) => word.text));
  const wanted = truth.split(/\s+/).filter((word) => word.length > 0);
  return wanted.filter((word) => found.has(word)).length / wanted.length;
}

function orderFor(language: string): string {
  return JSON.stringify({ document: 'd', page: 1, name: 'scan', language });
}

function tessdata(): string {
  const { stdout } = spawnSync('tesseract', ['--list-langs'], { encoding: 'utf8' });
  return /"(.*)"/.exec(stdout)?.[1] ?? assert.fail('tesseract is not installed');
}
