import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readWords } from './words.ts';

test('options before the revision are those of the comparison, the others those of the benchmark', () => {
  const words = '--json out.json --rounds 3 HEAD~2 engine --only embedded --rounds 1'.split(' ');
  assert.deepEqual(readWords(words), {
    json: 'out.json',
    rounds: 3,
    least: 0.95,
    revision: 'HEAD~2',
    name: 'engine',
    parameters: ['--only', 'embedded', '--rounds', '1'],
  });
});

test('a comparison without a revision, without a name or with an unknown option is refused', () => {
  for (const text of [
    '',
    'HEAD',
    '--faster 1 HEAD engine',
    '--rounds none HEAD engine',
    '--rounds 0 HEAD engine',
  ])
    assert.equal(readWords(text === '' ? [] : text.split(' ')), undefined, text);
});
