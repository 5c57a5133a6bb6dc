import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { boundedLines } from './bounded-lines.ts';

async function linesOf(...chunks: (string | Buffer)[]): Promise<string[]> {
  return Array.fromAsync(boundedLines(Readable.from(chunks.map((chunk) => Buffer.from(chunk)))));
}

test('lines come out complete, however the bytes are split', async () => {
  const bytes = Buffer.from('žluťoučký\nkůň\n');
  const single = Array.from(bytes, (byte) => Buffer.of(byte));
  assert.deepEqual(await linesOf(...single), ['žluťoučký', 'kůň']);
  assert.deepEqual(await linesOf('no end'), ['no end']);
});

test('an endless line is cut and does not fill memory', async () => {
  const [first, second] = await linesOf(...Array<string>(1000).fill('x'.repeat(1000)), '\nafter\n');
  assert.equal(first, `${'x'.repeat(1000)}...`);
  assert.equal(second, 'after');
});

test('only the last state of a progress bar is kept', async () => {
  assert.deepEqual(await linesOf('10 %\r50 %\r100 %\nwindows\r\n'), ['100 %', 'windows']);
});
