import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { startPismak } from '../../test/start-pismak.ts';

test('a program in another language counts the words of what is published', async (t) => {
  const python = execFileSync('sh', ['-c', 'command -v python3'], { encoding: 'utf8' }).trim();
  const { directory, run } = await startPismak(t, { 'command.allow': python });
  const [letter, out] = [join(directory, 'letter.txt'), join(directory, 'out')];
  await writeFile(letter, 'three short words\n');
  const config = `@${join(import.meta.dirname, 'count-words.conf')}`;
  const program = join(import.meta.dirname, 'count-words.py');
  const definition = ['--processor', 'command', '--stage-config', config, '--file', program];
  await run('stage', 'create', 'count-words', ...definition);
  await run('publish', letter, '--stages', 'count-words,counted', '--wait', '-o', out);
  const [result = ''] = globSync(join(out, '*', 'letter.txt.words'));
  assert.equal(await readFile(result, 'utf8'), '3\n');
});
