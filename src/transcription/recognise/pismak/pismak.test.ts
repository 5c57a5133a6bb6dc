import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { isPermanent } from '../../../engine/processor/processor.ts';
import { runProcessor } from '../../../index.ts';
import { compareTexts, errorRate, total } from '../../evaluation/compare.ts';
import type { Grey } from '../../image/grey.ts';
import { loadSharp } from '../../image/load-sharp.ts';
import { readGrey } from '../../image/open-image.ts';
import { type Page, page } from '../../page/page.ts';
import { makeSample } from '../../testing/samples/make-sample.ts';
import recognise from '../recognise.ts';
import { type Model, openModel } from './model.ts';
import { readLines } from './read-lines.ts';

const limits = { pixels: 150e6, bytes: 1e9 };
const { signal } = new AbortController();
const config = 'ENGINE = pismak';
let model: Model;
before(async () => {
  model = await openModel();
});
after(() => model.close());

interface TrueLine {
  image: Grey;
  text: string;
}

async function trueLines(list = 'lines.tsv'): Promise<TrueLine[]> {
  const rows = readFileSync(new URL(`./testing/${list}`, import.meta.url), 'utf8')
    .trim()
    .split('\n');
  return Promise.all(
    rows.map(async (row) => {
      const [name = '', text = ''] = row.split('\t');
      return {
        image: await readGrey(readFileSync(new URL(`./testing/${name}`, import.meta.url)), limits),
        text,
      };
    }),
  );
}

async function textsOf(images: readonly Grey[]): Promise<string[]> {
  const read = await readLines(model, images, signal);
  return read.map((line) => line.map(({ text }) => text).join(''));
}

test('lines of old newspapers and typescripts that it never learned from are read almost without errors', async () => {
  const lines = await trueLines();
  const read = await textsOf(lines.map(({ image }) => image));
  const rate = total(
    lines.map(({ text }, index) => compareTexts(text, read[index] ?? '', { sameMarks: true }).characters),
  );
  assert.ok(errorRate(rate) < 0.04, `${errorRate(rate)}\n${read.join('\n')}`);
});

test('lines of small modern type, as faxes, copies and screens have them, keep their letters, in fonts that it never learned from', async () => {
  const lines = await trueLines('small.tsv');
  const read = await textsOf(lines.map(({ image }) => image));
  const rate = total(
    lines.map(({ text }, index) => compareTexts(text, read[index] ?? '', { sameMarks: true }).characters),
  );
  assert.ok(errorRate(rate) < 0.02, `${errorRate(rate)}\n${read.join('\n')}`);
});

test('a line is read the same alone and among others, pale, and white on black', async () => {
  const [line] = await trueLines();
  assert.ok(line);
  const change = (shade: (one: number) => number): Grey => ({
    ...line.image,
    data: line.image.data.map(shade),
  });
  const others = (await trueLines()).map(({ image }) => image);
  const alone = (await textsOf([line.image]))[0] ?? '';
  const readings = [
    (await textsOf(others))[0],
    (await textsOf([change((one) => 120 + one / 4)]))[0],
    (await textsOf([change((one) => 255 - one)]))[0],
  ];
  for (const reading of readings)
    assert.ok(errorRate(compareTexts(alone, reading ?? '').characters) < 0.05, `${alone}\n${reading}`);
});

test('lines without pixels, without letters or of 20,000 pixels neither fail nor make up a text', async () => {
  const blank = (width: number, shade = 255): Grey => ({
    data: new Uint8Array(width * 40).fill(shade),
    width,
    height: 40,
  });
  assert.deepEqual(await textsOf([blank(0), blank(1), blank(300), blank(300, 0), blank(20_000)]), [
    '',
    '',
    '',
    '',
    '',
  ]);
  const [line] = await trueLines();
  assert.ok(line);
  const times = Math.ceil(20_000 / line.image.width);
  const long = blank(times * line.image.width);
  for (let row = 0; row < 40; row++) {
    const own = line.image.data.subarray(row * line.image.width, (row + 1) * line.image.width);
    for (let time = 0; time < times; time++) long.data.set(own, row * long.width + time * own.length);
  }
  const [read = ''] = await textsOf([long]);
  assert.ok(Math.abs(read.length / times / line.text.length - 1) < 0.1, read);
  const words = (text: string) => text.split(' ').length;
  assert.ok(words(read) >= times * (words(line.text) - 1), 'a cut between two words leaves them apart');
});

test('a page of noise gives no sure words', async () => {
  const data = Uint8Array.from({ length: 800 * 600 }, (_, at) =>
    ((at * 2654435761) >>> 7) % 7 < 3 ? 0 : 255,
  );
  const sharp = await loadSharp();
  const source = await sharp(data, { raw: { width: 800, height: 600, channels: 1 } })
    .png()
    .toBuffer();
  const { files } = await runProcessor(recognise, { config: `${config}\nLANGUAGE = ces`, files: { source } });
  assert.ok(wordsOf(pageOf(files)).every(({ confidence = 1 }) => confidence < 0.9));
});

test('a Czech page is read into words with places and confidence, with nothing installed', async () => {
  const sample = await makeSample('clean', 1, { dpi: 150, share: 0.32 });
  const { files, log } = await runProcessor(recognise, { config, files: { source: sample.image } });
  const read = pageOf(files);
  const text = wordsOf(read)
    .map((word) => word.text)
    .join(' ');
  assert.ok(errorRate(compareTexts(sample.truth, text).characters) < 0.02, text);
  assert.equal(read.language, 'ces');
  assert.match(read.producer ?? '', /^pismak print [0-9a-f]{8}, onnxruntime \d.*, stage test version 1$/);
  assert.match(log.join('\n'), /\d+ words in \d+ lines, confidence \d+ %/);
  for (const { box, confidence = -1 } of wordsOf(read)) {
    assert.ok(box.left + box.width <= read.width && box.top + box.height <= read.height);
    assert.ok(confidence >= 0);
  }
  const damaged = runProcessor(recognise, { config, files: { source: sample.image.subarray(0, 60) } });
  await assert.rejects(damaged, (error) => isPermanent(error) && /damaged or truncated/.test(String(error)));
});

test('a negative, white on black as on microfilm, is read inverted, and the log says so', async () => {
  const sample = await makeSample('clean', 1, { dpi: 150, share: 0.32 });
  const sharp = await loadSharp();
  const source = await sharp(sample.image).flatten().negate({ alpha: false }).png().toBuffer();
  const { files, log } = await runProcessor(recognise, {
    config: `${config}\nLANGUAGE = ces`,
    files: { source },
  });
  const text = wordsOf(pageOf(files)).map((word) => word.text);
  assert.ok(errorRate(compareTexts(sample.truth, text.join(' ')).characters) < 0.03, text.join(' '));
  assert.match(log.join('\n'), /the page is a negative/);
});

test('notes on staves are not letters', async () => {
  const [width, height] = [900, 700];
  const data = new Uint8Array(width * height).fill(255);
  const fill = (left: number, top: number, across: number, down: number) => {
    for (let y = top; y < top + down; y++) data.fill(0, y * width + left, y * width + left + across);
  };
  for (let staff = 0; staff < 5; staff++) {
    for (let line = 0; line < 5; line++) fill(40, 60 + staff * 120 + line * 12, 820, 2);
    for (let note = 0; note < 20; note++) {
      const top = 60 + staff * 120 + ((note * 29 + staff * 7) % 48);
      fill(60 + note * 40, top, 14, 10);
      fill(72 + note * 40, top - 30, 2, 30);
    }
  }
  const sharp = await loadSharp();
  const source = await sharp(data, { raw: { width, height, channels: 1 } })
    .png()
    .toBuffer();
  const { files } = await runProcessor(recognise, { config: `${config}\nLANGUAGE = ces`, files: { source } });
  // Of the hundred notes, a few look like a number.
  assert.ok(
    wordsOf(pageOf(files)).length <= 4,
    JSON.stringify(wordsOf(pageOf(files)).map(({ text }) => text)),
  );
});

test('a page that lies on its side or its head is turned, without Tesseract', async () => {
  const sample = await makeSample('clean', 1, { dpi: 150, share: 0.4 });
  const sharp = await loadSharp();
  for (const turn of [180, 270]) {
    const source = await sharp(sample.image).rotate(turn).png().toBuffer();
    const chosen = { config: `${config}\nLANGUAGE = ces`, files: { source } };
    const { files, log } = await runProcessor(recognise, chosen);
    const text = wordsOf(pageOf(files)).map((word) => word.text);
    assert.ok(errorRate(compareTexts(sample.truth, text.join(' ')).characters) < 0.03, log.join('\n'));
    assert.match(log.join('\n'), new RegExp(`turned by ${360 - turn} degrees: .*stays turned`));
  }
});

test('a model of one’s own is taken from the files of the stage, and nothing else is', async () => {
  const path = (name: string) => fileURLToPath(new URL(`./model/${name}`, import.meta.url));
  const source = (await makeSample('clean', 1, { dpi: 150, share: 0.1 })).image;
  const chosen = { config: `${config}\nMODEL = chronicle\nLANGUAGE = ces`, files: { source } };
  const stageFiles = { 'chronicle.int8.onnx': path('print.int8.onnx'), 'chronicle.json': path('print.json') };
  const { files } = await runProcessor(recognise, { ...chosen, stageFiles });
  assert.match(pageOf(files).producer ?? '', /^pismak chronicle [0-9a-f]{8},/);
  await assert.rejects(
    runProcessor(recognise, chosen),
    /needs the files chronicle\.int8\.onnx and chronicle\.json/,
  );
  const swapped = { ...stageFiles, 'chronicle.int8.onnx': path('print.json') };
  await assert.rejects(
    runProcessor(recognise, { ...chosen, stageFiles: swapped }),
    /the model chronicle can't be used/,
  );
  const outside = { ...chosen, config: `${config}\nMODEL = ../print` };
  await assert.rejects(runProcessor(recognise, outside), /letters, digits, _ and -/);
});

function pageOf(files: Record<string, string>): Page {
  return page.parse(JSON.parse(files['page.json'] ?? 'null'));
}

function wordsOf({ regions }: Page) {
  return regions.flatMap(({ paragraphs }) =>
    paragraphs.flatMap(({ lines }) => lines.flatMap(({ words }) => words)),
  );
}
