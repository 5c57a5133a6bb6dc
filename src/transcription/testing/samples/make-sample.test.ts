import assert from 'node:assert/strict';
import { test } from 'node:test';
import sharp from 'sharp';
import { seededRandom } from '../../../engine/simulation/chance.ts';
import { czechHeading, czechSentence } from './czech-text.ts';
import { fontNames, loadFont } from './fonts.ts';
import { makeSample, sampleKinds } from './make-sample.ts';

const small = { dpi: 100, share: 0.3 };

test('the same seed gives the same page, another seed gives another page', async () => {
  const [one, again, other] = [
    await makeSample('noise', 7, small),
    await makeSample('noise', 7, small),
    await makeSample('noise', 8, small),
  ];
  assert.equal(one.truth, again.truth);
  assert.ok(one.image.equals(again.image));
  assert.notEqual(one.truth, other.truth);
});

for (const kind of sampleKinds) {
  test(`a page of kind ${kind} is a grey image with ink, and its truth is Czech`, async () => {
    const { image, truth, dpi, extension } = await makeSample(kind, 1, small);
    const { channels, density, format } = await sharp(image).metadata();
    assert.deepEqual({ channels, density }, { channels: 1, density: dpi });
    assert.equal(format, extension === 'jpg' ? 'jpeg' : 'png');
    const { channels: shades } = await sharp(image).stats();
    assert.ok((shades[0]?.min ?? 255) < 160 && (shades[0]?.max ?? 0) > 180);
    assert.match(truth, /[ěščřžýáíéúů]/);
    assert.ok(truth.split('\n').length > 5, truth);
  });
}

test('sentences leave no slot unfilled', () => {
  const random = seededRandom(1);
  for (let count = 0; count < 500; count++) assert.doesNotMatch(czechSentence(random), /[{}]|undefined/);
});

test('every font has every letter that the texts use', async () => {
  const random = seededRandom(2);
  const texts = Array.from({ length: 300 }, () => czechSentence(random) + czechHeading(random));
  for (const name of fontNames) {
    const font = await loadFont(name);
    for (const text of texts) assert.ok(font.width(text, 20) > 0);
  }
});
