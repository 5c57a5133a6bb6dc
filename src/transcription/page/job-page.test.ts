import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isPermanent, type LoadProcessor } from '../../engine/processor/processor.ts';
import { runProcessor } from '../../engine/processor/run-processor.ts';
import correct from '../correct/correct.ts';
import exportPage from '../export/export.ts';
import keywords from '../keywords/keywords.ts';
import layout from '../layout/layout.ts';
import prepare from '../prepare/prepare.ts';
import recognise from '../recognise/recognise.ts';
import split from '../split/split.ts';

const order = JSON.stringify({
  document: 'd',
  page: 1,
  name: 'x',
  formats: ['txt', 'page', 'alto', 'hocr', 'pdf'],
});
const deep = '['.repeat(1_000_000) + ']'.repeat(1_000_000);
const box = { left: 0, top: 0, width: 1, height: 1 };
const wrong = { kind: 'text', box, paragraphs: Array.from({ length: 100_000 }, () => ({})) };

/** Results as a stage of somebody else may leave them. */
const results: Record<string, string> = {
  'of 17 MB': ' '.repeat(17 * 1024 * 1024),
  'nested a million times': deep,
  'with a hundred thousand faults': JSON.stringify({ width: 1, height: 1, regions: [wrong] }),
  'cut off': '{"width":',
  'of another kind': '"<!DOCTYPE lolz [<!ENTITY lol \\"lol\\">]>"',
};
const readers: Record<string, LoadProcessor> = { correct, index: keywords, export: exportPage };
for (const [what, text] of Object.entries(results)) {
  for (const [name, processor] of Object.entries(readers)) {
    test(`${name} refuses a page ${what} for good, in a few words`, async () => {
      await assert.rejects(
        runProcessor(processor, { files: { 'order.json': order, 'page.json': text, source: 'x' } }),
        (error: Error) => {
          assert.ok(isPermanent(error), String(error));
          assert.ok(error.message.length < 400, `${error.message.length} characters`);
          assert.match(error.message, /page.json/);
          return true;
        },
      );
    });
  }
}

for (const [name, processor] of Object.entries({ split, prepare, layout, recognise, ...readers })) {
  test(`${name} fails for good if the request lacks its files`, async () => {
    // `layout` looks at the page only if it is asked for columns.
    const config = name === 'layout' ? 'COLUMNS = yes' : '';
    await assert.rejects(runProcessor(processor, { config, files: { 'page.png': 'x' } }), isPermanent);
  });
}
