import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { cp, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { temporaryDirectory } from '../../src/engine/testing/temporary-directory.ts';
import { serverSentences } from '../../web/src/shell/text/server-cs.ts';

const web = join(import.meta.dirname, '../../web');

async function check(directory: string): Promise<{ code: number | null; said: string }> {
  const program = join(web, 'node_modules/svelte-check/bin/svelte-check');
  assert.ok(existsSync(program), 'run `sh bin/setup test`, which installs what checks the console');
  const child = spawn(process.execPath, [program, '--threshold', 'warning', '--fail-on-warnings'], {
    cwd: directory,
  });
  const closed = new Promise<number | null>((resolve) => child.on('close', resolve));
  const [code, said] = await Promise.all([closed, text(child.stdout)]);
  return { code, said };
}

test('the types of the console fit, pages and sentences included', async () => {
  const { code, said } = await check(web);
  assert.equal(code, 0, said);
});

// A checker that finds nothing because it looks at nothing would pass the test above.
test('the checker finds a wrong type, in a page and beside it, and a sentence that Czech lacks', async (t) => {
  const copy = await temporaryDirectory(t);
  for (const name of ['src', 'tsconfig.json', 'svelte.config.js', 'package.json'])
    await cp(join(web, name), join(copy, name), { recursive: true });
  await symlink(join(web, 'node_modules'), join(copy, 'node_modules'));
  await writeFile(join(copy, 'src/planted.ts'), 'export const one: number = "one";\n');
  await writeFile(
    join(copy, 'src/Planted.svelte'),
    '<script lang="ts">\nconst { one }: { one: number } = $props();\n</script>\n{one.length}\n',
  );
  const english = join(copy, 'src/work/text/en.ts');
  await writeFile(
    english,
    readFileSync(english, 'utf8').replace('const en = {', "const en = { planted: 'x',"),
  );
  const { code, said } = await check(copy);
  assert.notEqual(code, 0);
  for (const expected of [/planted\.ts/, /Planted\.svelte/, /work\/text\/cs\.ts/])
    assert.match(said, expected);
});

test('the types of the tests that open the console fit', async () => {
  const child = spawn(process.execPath, [join(web, 'node_modules/typescript/bin/tsc'), '-p', 'tests'], {
    cwd: web,
  });
  const closed = new Promise<number | null>((resolve) => child.on('close', resolve));
  const [code, said] = await Promise.all([closed, text(child.stdout)]);
  assert.equal(code, 0, said);
});

test('pages have neither markup from outside nor styles that the content policy refuses', () => {
  const files = globSync('src/**/*.svelte', { cwd: web });
  assert.ok(files.length > 20);
  for (const file of files) {
    const source = readFileSync(join(web, file), 'utf8');
    assert.doesNotMatch(source, /\{@html/, file);
    assert.doesNotMatch(source.replace(/<script.*?<\/script>/s, ''), / style=/, file);
  }
});

test('colours are in one file', () => {
  for (const file of globSync('src/**/*.{svelte,css}', { cwd: web }).filter(
    (path) => !path.endsWith('tokens.css'),
  ))
    assert.doesNotMatch(
      readFileSync(join(web, file), 'utf8'),
      /#[0-9a-f]{3,8}\b(?=[^{}]*;)|\brgba?\(|\bhsla?\(/i,
      file,
    );
});

test('Czech has every sentence that the server can say', () => {
  const root = join(web, '..');
  const codes = globSync('src/**/*.ts', { cwd: root, exclude: (name) => /\.test\.ts$/.test(String(name)) })
    .map((file) => readFileSync(join(root, file), 'utf8'))
    .filter((source) => source.includes('defineSentences('))
    .flatMap((source) =>
      [...source.matchAll(/^ {2}'([a-z-]+(?:\.[a-z-]+)*)': \(/gm)].map(([, code]) => code ?? ''),
    );
  assert.deepEqual(
    codes.filter((code) => !Object.hasOwn(serverSentences, code)),
    [],
    'add them to web/src/shell/text/server-cs.ts',
  );
});

interface BuiltFile {
  path: string;
  size: number;
  br?: number;
  imports?: string[];
  begins?: string;
}

test('any page, opened first, loads at most 90 KB of JavaScript', () => {
  const { files } = JSON.parse(readFileSync(join(web, 'dist/console.json'), 'utf8')) as {
    files: BuiltFile[];
  };
  const byPath = new Map(files.map((file) => [file.path, file]));
  const loaded = (path: string, into: Set<string>): Set<string> => {
    if (into.has(path)) return into;
    into.add(path);
    for (const next of byPath.get(path)?.imports ?? []) loaded(next, into);
    return into;
  };
  const starts = files.filter(
    ({ begins }) => begins === 'index.html' || begins?.endsWith('shell/text/en.ts'),
  );
  assert.equal(starts.length, 2);
  const pages = files.filter(({ begins }) => /^src\/[^/]+\/[^/]+\.svelte$/.test(begins ?? ''));
  assert.ok(pages.length > 3);
  for (const page of pages) {
    const all = new Set<string>();
    for (const { path } of [...starts, page]) loaded(path, all);
    const bytes = [...all]
      .filter((path) => path.endsWith('.js'))
      .reduce((sum, path) => sum + (byPath.get(path)?.br ?? byPath.get(path)?.size ?? 0), 0);
    assert.ok(bytes <= 90_000, `${page.begins}: ${bytes} bytes`);
  }
});
