import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { cp, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { brokenRules } from '../../scripts/import-rules.ts';
import { temporaryDirectory } from '../../src/engine/testing/temporary-directory.ts';
import { RunningPismak } from '../../test/running-pismak.ts';

const root = join(import.meta.dirname, '..', '..');
const line = "  (await import('../examples/guestbook/house.ts')).guestbook,\n";
const run = promisify(execFile);

test('one line adds a house with its table, setting, stage, operations, command and page; without the line it is gone', async (t) => {
  const copy = await checkout(t);
  const list = join(copy, 'src', 'houses.ts');
  const before = await readFile(list, 'utf8');
  await writeFile(list, before.replace(/(?=\];)/, line));
  assert.deepEqual(brokenRules(sourcesIn(copy)), []);

  const data = join(copy, 'data');
  const command = [join(copy, 'bin', 'pismak'), 'up'];
  const pismak = new RunningPismak(data, { 'worker.count': 1, 'guestbook.longest': 20 }, command);
  t.after(() => pismak.kill());
  const cli = async (...words: string[]) =>
    (await run(join(copy, 'bin', 'pismak'), ['--data', data, ...words], { cwd: copy })).stdout;

  await pismak.start();
  assert.match(await cli('--help'), /^Guestbook:\n {2}guestbook +Sign and read the guestbook$/m);
  assert.match(await cli('config'), /guestbook\.longest/);
  assert.equal(await cli('guestbook', 'sign', 'Hello <b>Brno</b>'), 'signed\n');
  await assert.rejects(cli('guestbook', 'sign', 'x'.repeat(21)), /the limit is 20 \(setting guestbook/);
  assert.match(await cli('guestbook', 'ls'), /Hello <b>Brno<\/b> +local/);
  const page = await fetch(`${pismak.url}/guestbook`);
  assert.match(page.headers.get('content-security-policy') ?? '', /default-src 'none'/);
  assert.match(await page.text(), /<li>Hello &#60;b&#62;Brno.*Visit 1 /);
  assert.match(await (await fetch(`${pismak.url}/guestbook`)).text(), /Visit 2 /);
  await writeFile(join(copy, 'anna.txt'), 'Anna');
  await cli('publish', 'anna.txt', '--stages', 'guestbook.greet,greeted', '--wait', '-o', 'results');
  const [result = ''] = globSync('results/**/anna.txt', { cwd: copy });
  assert.equal(await readFile(join(copy, result), 'utf8'), 'Welcome, Anna!\n');
  await pismak.stop();

  await writeFile(list, before);
  const without = new RunningPismak(data, { 'worker.count': 1 }, command);
  t.after(() => without.kill());
  await without.start();
  assert.doesNotMatch(await cli('--help'), /uestbook/);
  assert.equal((await fetch(`${without.url}/guestbook`)).status, 404);
  assert.match(await cli('dummy', '--count', '1'), /1/, 'everything else works as before');
  await without.stop();
});

test('the copy that CONTRIBUTING.md makes of it is a house of src/ that passes the tests of every house', async (t) => {
  const copy = await checkout(t);
  const guide = await readFile(join(root, 'CONTRIBUTING.md'), 'utf8');
  const [, commands = ''] = /```sh\n(cp -r examples\/guestbook .*?)```/s.exec(guide) ?? [];
  await run('sh', ['-ec', commands], { cwd: copy });
  const list = join(copy, 'src', 'houses.ts');
  const own = "  (await import('./reminder/house.ts')).reminder,\n";
  await writeFile(list, (await readFile(list, 'utf8')).replace(/(?=\];)/, own));
  assert.deepEqual(brokenRules(sourcesIn(copy)), []);
  const files = ['src/cli/operation-commands.test.ts', 'src/server/access/access-rules.test.ts'];
  const chosen = '--test-name-pattern=reminder|every operation has a command|what every command loads';
  const { NODE_TEST_CONTEXT: _, ...environment } = process.env;
  const options = { cwd: copy, env: environment };
  const { stdout } = await run(
    process.execPath,
    ['--test', '--test-reporter=tap', chosen, ...files],
    options,
  );
  assert.match(stdout, /reminder\.sign keeps to what is the caller's/);
});

/** What a house needs of this repository, to change at will. */
async function checkout(t: TestContext): Promise<string> {
  const copy = await temporaryDirectory(t);
  for (const part of ['src', 'bin', 'scripts', 'examples', 'package.json'])
    await cp(join(root, part), join(copy, part), { recursive: true });
  await symlink(join(root, 'node_modules'), join(copy, 'node_modules'));
  return copy;
}

function sourcesIn(directory: string): Map<string, string> {
  const files = globSync('src/**/*.ts', { cwd: directory });
  return new Map(files.map((file) => [file, readFileSync(join(directory, file), 'utf8')]));
}
