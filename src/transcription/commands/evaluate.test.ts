import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { runCommand } from '../../cli/testing/run-command.ts';
import { temporaryDirectory } from '../../engine/testing/temporary-directory.ts';

/** Files by path, in a new directory. */
async function directoryWith(t: TestContext, files: Record<string, string>): Promise<string> {
  const root = await temporaryDirectory(t);
  for (const [path, text] of Object.entries(files)) {
    await mkdir(join(root, path, '..'), { recursive: true });
    await writeFile(join(root, path), text);
  }
  return root;
}

const pages = {
  'out/good/text.txt': 'Byl pozdní večer\n',
  'out/bad.txt': 'prvni maj',
  'out/extra.txt': 'x',
  'out/good.alto.xml': '<alto/>',
  'truth/good.gt.txt': 'Byl pozdní večer',
  'truth/bad.txt': 'první máj',
  'truth/missing.txt': 'večerní máj',
};

test('pages are listed worst first, with a total and the pages that only one side has', async (t) => {
  const root = await directoryWith(t, pages);
  const { code, stdout } = await runCommand(['evaluate', join(root, 'out'), join(root, 'truth')]);
  assert.equal(code, 0);
  const lines = stdout.trim().split('\n');
  assert.match(lines[1] ?? '', /^bad +22\.22 % +100\.00 % +100\.00 % +2 +9 +2 +2$/);
  assert.match(lines[2] ?? '', /^good +0\.00 % +0\.00 % +0\.00 % +0 +16 +0 +3$/);
  assert.match(lines[3] ?? '', /^all together +8\.00 % +40\.00 % +40\.00 % +2 +25 +2 +5$/);
  assert.deepEqual(lines.slice(4), ['1 page not read: missing', '1 page without truth: extra']);
});

test('options decide what counts, and --json gives the figures', async (t) => {
  const root = await directoryWith(t, pages);
  const words = ['evaluate', join(root, 'out'), join(root, 'truth'), '--ignore-diacritics', '--json'];
  const result = JSON.parse((await runCommand(words)).stdout);
  assert.deepEqual([result.cer, result.wer], [0, 0]);
  assert.deepEqual(result.pages.length, 2);
  assert.deepEqual([result.missing, result.extra], [['missing'], ['extra']]);
});

test('--html writes a page that needs nothing else and runs nothing', async (t) => {
  const root = await directoryWith(t, {
    'out/a.txt': 'fine <script>x()</script>',
    'truth/a.txt': 'Fine',
    'out/<img>.txt': 'b',
    'truth/<img>.txt': 'b',
  });
  const file = join(root, 'differences.html');
  await runCommand(['evaluate', join(root, 'out'), join(root, 'truth'), '--html', file]);
  const html = await readFile(file, 'utf8');
  assert.match(html, /<del>F<\/del><ins>f<\/ins>ine<ins>␣&lt;script&gt;/);
  assert.doesNotMatch(html, /<script|<img|https?:/);
  assert.ok(html.indexOf('<h2>a ') < html.indexOf('<h2>&lt;img&gt; '), 'worst first');
  assert.ok(html.endsWith('</html>\n'));
});

test('it leaves no files in the current directory', async (t) => {
  const root = await directoryWith(t, pages);
  await runCommand(['evaluate', join(root, 'out'), join(root, 'truth'), '--data', join(root, 'data')]);
  assert.deepEqual((await readdir(root)).sort(), ['out', 'truth']);
});

test('directories that are empty or missing are named', async (t) => {
  const root = await directoryWith(t, { 'a/x.txt': 'x', 'b/y.txt': 'y', 'c/image.png': '' });
  const run = (...names: string[]) => runCommand(['evaluate', ...names.map((name) => join(root, name))]);
  assert.match((await run('a', 'nowhere')).stderr, /can't read the directory .*nowhere/);
  assert.match((await run('a', 'c')).stderr, /there is no \.txt file in/);
  const nothing = await run('a', 'b');
  assert.match(nothing.stderr, /has no page of the truth; expected NAME\.txt/);
  assert.equal(nothing.code, 3);
});
