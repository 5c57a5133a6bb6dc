import assert from 'node:assert/strict';
import { test } from 'node:test';
import sharp from 'sharp';
import { runProcessor } from '../../engine/processor/run-processor.ts';
import { order } from '../page/order.ts';
import single from './single.ts';
import { parseSingleConfig } from './single-config.ts';

const blank = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: '#fff' } });
const jpeg = await blank(600, 800).jpeg().toBuffer();

test('a request with just an image, under any name, becomes a page for the other stages', async () => {
  const { contents, names } = await made({ 'Kronika 1907.jpg': jpeg, 'notes.txt': 'kept' });
  assert.deepEqual(names.toSorted(), ['notes.txt', 'order.json', 'source']);
  assert.deepEqual(Buffer.from(contents.source ?? []), jpeg);
  const { name, language, formats } = order.parse(JSON.parse(text(contents['order.json'])));
  assert.deepEqual(
    { name, language, formats },
    { name: 'Kronika 1907.jpg', language: 'deu', formats: ['alto'] },
  );
});

test('a request that brings an order and a source is left as it is', async () => {
  const wanted = JSON.stringify({ document: 'd', page: 3, name: 'p', language: 'lat' });
  const { contents } = await made({ 'order.json': wanted, source: jpeg });
  assert.equal(text(contents['order.json']), wanted);
});

test('what cannot become one page fails for good, with the reason', async () => {
  await assert.rejects(made({ 'a.txt': 'text' }), {
    name: 'PermanentFailure',
    message: /no image; it has a\.txt/,
  });
  await assert.rejects(made({}), { name: 'PermanentFailure', message: /it has no files/ });
  const two = await sharp([await blank(6, 8).png().toBuffer(), await blank(6, 8).png().toBuffer()], {
    join: { animated: true },
  })
    .tiff()
    .toBuffer();
  await assert.rejects(made({ 'two.tif': two }), { name: 'PermanentFailure', message: /several pages/ });
  await assert.rejects(made({ 'cut.jpg': jpeg.subarray(0, jpeg.length >> 1) }), { name: 'PermanentFailure' });
});

test('a wrong format in the configuration is refused with the right ones', () => {
  assert.throws(() => parseSingleConfig('FORMATS = txt docx'), /docx; choose from txt, page/);
});

async function made(files: Record<string, string | Uint8Array>) {
  const { contents } = await runProcessor(single, { config: 'LANGUAGE = deu\nFORMATS = alto\n', files });
  return { contents, names: Object.keys(contents) };
}

function text(content: Uint8Array | undefined): string {
  return Buffer.from(content ?? []).toString();
}
