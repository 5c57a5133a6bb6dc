import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { temporaryDirectory } from '../../src/engine/testing/temporary-directory.ts';
import { makeSample } from '../../src/transcription/testing/samples/make-sample.ts';

const main = join(import.meta.dirname, '..', '..', 'src', 'main.ts');

/** `pismak WORDS` in a process of its own. */
async function pismak(
  words: readonly string[],
  environment: NodeJS.ProcessEnv = process.env,
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const child = spawn(process.execPath, [main, ...words], {
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { code, stdout, stderr };
}

test('one command makes text, PAGE XML and PDF of scans, with and without Tesseract installed, and finds words', async (t) => {
  const directory = await temporaryDirectory(t);
  const scans = join(directory, 'scans');
  await mkdir(scans);
  const { image, extension, truth } = await makeSample('clean', 1, { share: 0.2 });
  const name = `a "scan" 🦉\n.${extension}`;
  await writeFile(join(scans, name), image);
  await writeFile(join(scans, 'broken.png'), 'not an image');
  const [, word = ''] = /(\p{L}{6,})/u.exec(truth) ?? [];

  const out = join(directory, 'out');
  // Two words are too few to guess the language from.
  const czech = ['--lang', 'ces'];
  const formats = ['--formats', 'txt,page,pdf', ...czech];
  const first = await pismak(['transcribe', scans, '-o', out, ...formats]);
  assert.equal(first.code, 1, first.stderr);
  assert.match(first.stdout, /1 page in .*\nFAILED +WHY\nbroken\.png +split: the file is not an image/);
  const files = (await readdir(out)).filter((file) => !file.startsWith('.')).sort();
  assert.deepEqual(files, ['a _scan_ 🦉_.page.xml', 'a _scan_ 🦉_.pdf', 'a _scan_ 🦉_.txt']);
  const read = await readFile(join(out, files[2] ?? ''), 'utf8');
  assert.ok(read.includes(word), `${word} in: ${read}`);
  assert.match(await readFile(join(out, files[0] ?? ''), 'utf8'), /<PcGts/);

  const data = ['--data', join(out, '.pismak')];
  const plain = word.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase();
  const found = await pismak(['search', plain, '--places', '--json', ...data]);
  const [hit] = JSON.parse(found.stdout);
  assert.deepEqual([hit.page, hit.pageName], [1, name]);
  assert.ok(hit.places[0].box.width > 0);

  const elsewhere = join(directory, 'without');
  const bare = await pismak(['transcribe', join(scans, name), '-o', elsewhere, ...czech], {
    ...process.env,
    PATH: '',
  });
  assert.equal(bare.code, 0, bare.stderr);
  assert.match(bare.stderr, /Tesseract is not installed/);
  const again = await readFile(join(elsewhere, 'a _scan_ 🦉_.txt'), 'utf8');
  assert.ok(again.includes(word), `${word} in: ${again}`);
});
