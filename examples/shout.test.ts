import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runProcessor } from 'pismak';
import shout from './shout.ts';

test('text comes out in capitals, with the suffix of the configuration', async () => {
  const { files } = await runProcessor(shout, { config: '?!', files: { 'a.txt': 'hello' } });
  assert.equal(files['a.txt'], 'HELLO?!');
});
