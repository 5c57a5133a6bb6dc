import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { Command } from 'commander';
import { temporaryDirectory } from '../../engine/testing/temporary-directory.ts';
import type { Surroundings } from '../../terminal/session.ts';
import { createShell } from '../../terminal/shell.ts';
import { encodeText } from '../text/html/encode-text.ts';
import { addTextCommands } from './text-commands.ts';

/** Runs a command as the command line would; these need nothing of the world but their output. */
async function run(...words: string[]): Promise<string> {
  let stdout = '';
  const surroundings = {
    stdout: { write: (text: string) => (stdout += text) },
    stderr: { write: () => {} },
    environment: {},
    houses: [],
    signal: new AbortController().signal,
  } as unknown as Surroundings;
  const program = new Command().exitOverride().option('--json');
  addTextCommands(program, createShell(surroundings));
  await program.parseAsync(words, { from: 'user' });
  return stdout;
}

test('check-robots prints a word for each URL', async (t) => {
  const file = join(await temporaryDirectory(t), 'robots.txt');
  await writeFile(file, 'User-agent: *\nDisallow: /a\nAllow: /a/b\n');
  const urls = ['http://x.cz/a', 'http://x.cz/a/b', '/c', 'http://x.cz'];
  assert.equal(
    await run('check-robots', '--robots', file, ...urls),
    'disallowed\nallowed\nallowed\nallowed\n',
  );
  assert.deepEqual(JSON.parse(await run('check-robots', '--json', '--robots', file, '--agent', 'x', '/a')), [
    { url: '/a', allowed: false },
  ]);
});

test('clean prints the text of a page', async (t) => {
  const file = join(await temporaryDirectory(t), 'page.html');
  await writeFile(
    file,
    encodeText('<title>x</title><p>Žluťoučký <b>kůň</b><script>no</script>', 'iso-8859-2'),
  );
  assert.equal(await run('clean', file), 'Žluťoučký kůň\n');
  assert.equal(await run('clean', file, '--charset', 'latin2'), 'Žluťoučký kůň\n');
  await assert.rejects(run('clean', file, '--charset', 'klingon'), /klingon is not a known charset/);
});

test('clean prints the text of a document', async (t) => {
  const file = join(await temporaryDirectory(t), 'letter.rtf');
  await writeFile(file, "{\\rtf1\\ansi\\ansicpg1250 \\'8elu\\'9dou\\'e8k\\'fd k\\'f9\\'f2}");
  assert.equal(await run('clean', file), 'Žluťoučký kůň\n');
});

test('clean turns a directory of pages into a directory of texts', async (t) => {
  const directory = await temporaryDirectory(t);
  await mkdir(join(directory, 'in', 'deep'), { recursive: true });
  await writeFile(join(directory, 'in', 'a.html'), '<p>první');
  await writeFile(join(directory, 'in', 'deep', 'b.html.gz'), gzipSync('<p>druhá'));
  await writeFile(join(directory, 'in', 'c.css'), 'p {}');
  await assert.rejects(run('clean', join(directory, 'in')), /name an output directory with -o/);
  await assert.rejects(run('clean', join(directory, 'in'), '-o', '/proc/nowhere'), /can't be made/);
  const out = join(directory, 'out');
  assert.match(await run('clean', join(directory, 'in'), '-o', out), /^2 texts in /);
  assert.equal(await readFile(join(out, 'a.txt'), 'utf8'), 'první\n');
  assert.equal(await readFile(join(out, 'deep', 'b.txt'), 'utf8'), 'druhá\n');
});

test('clean loses no page: not of two with one name, nor those beside a broken one', async (t) => {
  const directory = await temporaryDirectory(t);
  await writeFile(join(directory, 'p.html'), '<p>první');
  await writeFile(join(directory, 'p.html.gz'), gzipSync('<p>druhá'));
  await writeFile(join(directory, 'a.html.gz'), gzipSync('<p>třetí').subarray(0, 12));
  const out = join(directory, 'out');
  await assert.rejects(run('clean', directory, '-o', out), /1 page could not be read/);
  assert.equal(await readFile(join(out, 'p.html.txt'), 'utf8'), 'první\n');
  assert.equal(await readFile(join(out, 'p.html.gz.txt'), 'utf8'), 'druhá\n');
});

test('language knows a text and each of its lines', async (t) => {
  const file = join(await temporaryDirectory(t), 'lines.txt');
  await writeFile(
    file,
    'Dnes ráno jsme jeli vlakem do Brna.\nDnes ráno sme išli vlakom do Košíc.\n\nThe train was late.\n',
  );
  const lines = (await run('language', '--lines', file)).trim().split('\n');
  assert.deepEqual(
    lines.map((line) => line.split(' ')[0]),
    ['cs', 'sk', '-', 'en'],
  );
  assert.match(await run('language', file), /^(?:cs|sk) [01]\.\d{3}\n$/);
});

test('links prints absolute addresses', async (t) => {
  const file = join(await temporaryDirectory(t), 'page.html');
  await writeFile(file, '<a href=b>1</a><a href="/c" rel=nofollow>2</a><a href="mailto:x@y">3</a>');
  assert.equal(
    await run('links', file, '--base', 'https://a.cz/d/e.html'),
    'https://a.cz/d/b\nhttps://a.cz/c\tnofollow\n',
  );
  await assert.rejects(run('links', file, '--base', 'a.cz'), /write it with https/);
});
