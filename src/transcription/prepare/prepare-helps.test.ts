import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runProcessor } from '../../engine/processor/run-processor.ts';
import { compareTexts, errorRate } from '../evaluation/compare.ts';
import { page as pageSchema } from '../page/page.ts';
import recognise from '../recognise/recognise.ts';
import { makeSample, type SampleKind } from '../testing/samples/make-sample.ts';
import { toText } from '../text/text.ts';
import prepare from './prepare.ts';

/** The share of characters that Tesseract gets wrong. */
async function errors(given: Record<string, Uint8Array>, truth: string): Promise<number> {
  const { files } = await runProcessor(recognise, { config: 'ENGINE = tesseract', files: given });
  const read = pageSchema.parse(JSON.parse(files['page.json'] ?? ''));
  return errorRate(compareTexts(truth, toText(read)).characters);
}

async function drawn(kind: SampleKind) {
  const { image: source, truth } = await makeSample(kind, 21, { share: 0.3 });
  const { contents } = await runProcessor(prepare, { files: { source } });
  return { truth, source, prepared: contents };
}

for (const kind of ['skew', 'low-resolution'] as const) {
  test(`a prepared page is read with far fewer errors: ${kind}`, async () => {
    const { truth, source, prepared } = await drawn(kind);
    const rates = { without: await errors({ source }, truth), with: await errors(prepared, truth) };
    assert.ok(rates.with < 0.05 && rates.with < rates.without / 2, JSON.stringify(rates));
  });
}

// The recogniser looks again at pages that it reads badly, so these are read well either way. Text of the other side is removed only
// when nothing else helps: on real scans it cost more letters than it saved.
for (const [kind, most] of [
  ['noise', 0.05],
  ['faded', 0.05],
  ['bleed-through', 0.03],
] as const) {
  test(`a page in bad condition is read well: ${kind}`, async () => {
    const { truth, prepared } = await drawn(kind);
    const rate = await errors(prepared, truth);
    assert.ok(rate < most, `${rate}`);
  });
}
