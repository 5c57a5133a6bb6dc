import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseSingleConfig } from '../single/single-config.ts';
import { formats, outputFormats } from './output-formats.ts';

test('no two formats share a file, the ending of a saved result, or a use in METS', () => {
  const all = Object.values(outputFormats);
  for (const key of ['file', 'ending', 'use'] as const)
    assert.equal(new Set(all.map((format) => format[key])).size, formats.length, key);
});

test('the stage `page` takes every format, and no other', () => {
  assert.deepEqual(parseSingleConfig(`FORMATS = ${formats.join(' ')}`).formats, formats);
  assert.throws(() => parseSingleConfig('FORMATS = txt braille'), /braille; choose from txt/);
});
