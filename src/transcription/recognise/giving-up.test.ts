import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeSample } from '../samples/make-sample.ts';
import { openNativeTesseract } from './native-tesseract.ts';
import { openTesseractJs } from './tesseract-js.ts';

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
