import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { runProcessor } from 'pismak';
import { startPismak } from '../test/start-pismak.ts';
import shout from './shout.ts';

test('text comes out in capitals, with the suffix of the configuration', async () => {
  const { files } = await runProcessor(shout, { config: '?!', files: { 'a.txt': 'hello' } });
  assert.equal(files['a.txt'], 'HELLO?!');
});

test('as a stage of a running Pismak it shouts the files that are published', async (t) => {
  const { directory, run } = await startPismak(t, { processors: 'shout=./examples/shout.ts' });
  const [letter, out] = [join(directory, 'letter.txt'), join(directory, 'out')];
  await writeFile(letter, 'hello');
  await run('stage', 'create', 'shout', '--processor', 'shout', '--stage-config', '?!');
  await run('publish', letter, '--stages', 'shout,shouted', '--wait', '-o', out);
  const [result = ''] = globSync(join(out, '*', 'letter.txt'));
  assert.equal(await readFile(result, 'utf8'), 'HELLO?!');
});
