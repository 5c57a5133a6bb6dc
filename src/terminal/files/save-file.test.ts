import assert from 'node:assert/strict';
import { readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { startProgram } from '../../engine/testing/child-program.ts';
import { temporaryDirectory } from '../../engine/testing/temporary-directory.ts';
import { saveFile } from './save-file.ts';

const endless = fileURLToPath(new URL('../../cli/testing/save-endlessly.ts', import.meta.url));

async function* content(text: string) {
  yield Buffer.from(text);
}

test('what a killed run was writing is removed by the next, and nothing else', async (t) => {
  const directory = await temporaryDirectory(t);
  const killed = startProgram(t, endless, [join(directory, 'page.txt')]);
  await killed.line();
  await killed.kill();
  const [left = '', ...more] = await readdir(directory);
  assert.deepEqual([left.endsWith('.part'), more], [true, []]);
  const living = startProgram(t, endless, [join(directory, 'other.txt')]);
  await living.line();
  const [underWay = ''] = (await readdir(directory)).filter((name) => name !== left);
  const own = ['.notes.part', 'film.mkv.part', 'a~1~b', '.a~1~b.part'];
  for (const name of own) {
    await writeFile(join(directory, name), 'of the user');
    await utimes(join(directory, name), 0, 0);
  }

  await saveFile(join(directory, 'page.txt'), content('whole'));
  assert.equal(await readFile(join(directory, 'page.txt'), 'utf8'), 'whole');
  assert.deepEqual((await readdir(directory)).sort(), [...own, underWay, 'page.txt'].sort());
});

test('a file whose content breaks off leaves what was there before, and nothing beside it', async (t) => {
  const directory = await temporaryDirectory(t);
  const path = join(directory, 'page.txt');
  await saveFile(path, content('before'));
  async function* broken() {
    yield Buffer.from('half');
    throw new Error('the connection broke');
  }
  await assert.rejects(saveFile(path, broken()), /the connection broke/);
  assert.equal(await readFile(path, 'utf8'), 'before');
  assert.deepEqual(await readdir(directory), ['page.txt']);
});
