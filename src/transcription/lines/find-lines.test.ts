import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Grey } from '../image/grey.ts';
import { readGrey } from '../image/open-image.ts';
import { makeSample, type SampleKind } from '../testing/samples/make-sample.ts';
import { type FoundLine, findLines } from './find-lines.ts';

const limits = { pixels: 150e6, bytes: 1e9 };

test('every line of a printed page is found once, from its first to its last letter', async () => {
  const { lines, image, truth } = await linesOf('clean');
  assert.equal(lines.length, truth.split('\n').filter(Boolean).length);
  for (const line of lines) assert.ok(lengthOf(line) < image.width && line.ascent > line.descent);
});

test('no line crosses from one column into the other', async () => {
  const { lines, image, truth } = await linesOf('two-columns');
  const middle = image.width / 2;
  const across = lines.filter(
    ({ baseline }) => (baseline[0]?.x ?? 0) < middle && (baseline.at(-1)?.x ?? 0) > middle,
  );
  assert.equal(across.length, 1, 'the heading');
  assert.equal(lines.length, truth.split('\n').filter(Boolean).length);
});

test('the baseline of a skewed line follows its letters', async () => {
  const { lines, truth } = await linesOf('skew');
  const wanted = truth.split('\n').filter(Boolean).length;
  assert.ok(Math.abs(lines.length - wanted) <= 1, `${lines.length} of ${wanted}`);
  const slopes = lines.filter((line) => lengthOf(line) > 400).map(slopeOf);
  assert.ok(
    slopes.every((slope) => Math.abs(slope) > 0.03 && Math.sign(slope) === Math.sign(slopes[0] ?? 0)),
  );
});

test('an empty page, a black one and one of noise have hardly any lines', () => {
  const page = (shade: (at: number) => number): Grey => ({
    data: Uint8Array.from({ length: 600 * 800 }, (_, at) => shade(at)),
    width: 600,
    height: 800,
  });
  assert.deepEqual(findLines(page(() => 255)).lines, []);
  assert.deepEqual(findLines(page(() => 0)).lines, []);
  assert.deepEqual(findLines({ data: new Uint8Array([255]), width: 1, height: 1 }).lines, []);
  const noise = findLines(page((at) => ((at * 2654435761) % 4096 < 3000 ? 255 : 0)));
  assert.ok(noise.lines.every(({ baseline }) => baseline.every(({ x, y }) => Number.isFinite(x + y))));
});

test('grain of the paper is not taken for tiny letters', async () => {
  const { image, lines: clean } = await linesOf('clean');
  const data = image.data.slice();
  // Dots of three pixels, several times as many as letters.
  for (let dot = 0; dot < 6000; dot++) {
    const at = ((dot * 2654435761) >>> 0) % (data.length - 4 * image.width);
    for (let row = 0; row < 3; row++) data.fill(60, at + row * image.width, at + row * image.width + 3);
  }
  const { lines } = findLines({ ...image, data });
  assert.ok(lines.length < 2 * clean.length, `${lines.length} instead of ${clean.length}`);
});

async function linesOf(kind: SampleKind) {
  const sample = await makeSample(kind, 1, { dpi: 150, share: 0.5 });
  const image = await readGrey(sample.image, limits);
  return { lines: findLines(image).lines, image, truth: sample.truth };
}

function lengthOf({ baseline }: FoundLine): number {
  return (baseline.at(-1)?.x ?? 0) - (baseline[0]?.x ?? 0);
}

function slopeOf(line: FoundLine): number {
  return ((line.baseline.at(-1)?.y ?? 0) - (line.baseline[0]?.y ?? 0)) / lengthOf(line);
}
