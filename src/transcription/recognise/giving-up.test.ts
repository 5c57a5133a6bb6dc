import assert from 'node:assert/strict';
import { test } from 'node:test';
import sharp from 'sharp';
import { isPermanent } from '../../engine/processor/processor.ts';
import { makeSample } from '../testing/samples/make-sample.ts';
import { openNativeTesseract } from './native-tesseract.ts';
import { openTesseractJs } from './tesseract-js.ts';

test('native Tesseract is ended at its limits, and the page is not tried again', async (t) => {
  const { image } = await makeSample('clean', 2, { dpi: 300 });
  const wanted = { language: 'ces', log: () => {}, signal: t.signal };
  for (const [limits, reason] of [
    [{ seconds: 0.1, memoryMb: 4096 }, /takes more than/],
    [{ seconds: 600, memoryMb: 20 }, /more than 20 MB of memory/],
  ] as const) {
    const recogniser = await openNativeTesseract({ limits });
    assert.ok(recogniser);
    await assert.rejects(recogniser.recognise(image, wanted), (error: Error) => {
      assert.ok(isPermanent(error));
      assert.match(error.message, reason);
      return true;
    });
  }
});

test('an image that is too long for Tesseract fails with its limit and what to do, not as damaged', async (t) => {
  const recogniser = await openNativeTesseract({});
  assert.ok(recogniser);
  const strip = { width: 32_768, height: 20, channels: 3, background: 'white' } as const;
  const image = await sharp({ create: strip }).png().toBuffer();
  const reading = recogniser.recognise(image, { language: 'ces', log: () => {}, signal: t.signal });
  await assert.rejects(
    reading,
    /at most 32,767 pixels on each side; cut it into parts, or set ENGINE = pismak/,
  );
});

for (const open of [openNativeTesseract, openTesseractJs]) {
  test(`an aborted page stops, and the next one is read (${open.name})`, async (t) => {
    const recogniser = await open({});
    assert.ok(recogniser);
    t.after(() => recogniser.close());
    const { image } = await makeSample('clean', 2, { dpi: 100, share: 0.3 });
    const abort = new AbortController();
    const options = { language: 'ces', log: () => {} };
    const reading = recogniser.recognise(image, { ...options, signal: abort.signal });
    abort.abort();
    await assert.rejects(reading);
    const { regions } = await recogniser.recognise(image, {
      ...options,
      signal: new AbortController().signal,
    });
    assert.ok(regions.length > 0);
  });
}
