import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isPermanent } from '../../engine/processor/processor.ts';
import { makeSample } from '../samples/make-sample.ts';
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
