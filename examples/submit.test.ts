import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { globSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { startPismak } from '../test/start-pismak.ts';

const program = join(import.meta.dirname, 'submit.py');

test('the Python program gets back what it submitted with a key, small and large', async (t) => {
  const { up, directory, run } = await startPismak(t, { processors: 'shout=./examples/shout.ts' });
  await run('stage', 'create', 'shout', '--processor', 'shout');
  await up.call('user.create', { name: 'anna', password: 'correct horse battery', role: 'user' });
  const { key } = JSON.parse(await run('key', 'create', 'submit.py', '--owner', 'anna', '--json'));
  const letters = { 'short.txt': 'hello', 'long.txt': 'hello '.repeat(20_000) };
  for (const [name, text] of Object.entries(letters)) await writeFile(join(directory, name), text);
  const submit = (...files: string[]) =>
    promisify(execFile)('python3', [program, 'shout,shouted', ...files], {
      cwd: directory,
      env: { ...process.env, PISMAK_URL: up.url, PISMAK_KEY: key },
    });

  await submit(...Object.keys(letters));
  for (const [name, text] of Object.entries(letters)) {
    const [result = ''] = globSync(join(directory, 'results', '*', name));
    assert.equal(await readFile(result, 'utf8'), `${text.toUpperCase()}!`);
  }

  await writeFile(join(directory, 'bytes.bin'), 'a\0b');
  await assert.rejects(submit('bytes.bin'), (error: { code: number; stdout: string }) => {
    assert.equal(error.code, 1);
    assert.match(error.stdout, /Failed\n.*bytes\.bin is not text/s);
    return true;
  });
});
