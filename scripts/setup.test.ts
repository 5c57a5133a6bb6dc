import assert from 'node:assert/strict';
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { temporaryDirectory } from '../src/engine/testing/temporary-directory.ts';

const root = join(import.meta.dirname, '..');

/** A command in a process group of its own, with this Node; npm has no network. */
function begin(
  directory: string,
  ...[command = '', ...words]: string[]
): ChildProcessByStdio<null, Readable, Readable> {
  const env = {
    ...process.env,
    PATH: `${dirname(process.execPath)}${delimiter}${process.env.PATH}`,
    npm_config_cache: join(directory, '.cache', 'npm'),
    npm_config_offline: 'true',
  };
  return spawn(command, words, { cwd: directory, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
}

/** Resolves to what it printed. */
async function run(directory: string, ...command: string[]): Promise<string> {
  const child = begin(directory, ...command);
  const ended = once(child, 'close');
  const printed = await Promise.all([text(child.stdout), text(child.stderr)]);
  assert.equal((await ended)[0], 0, `${command.join(' ')}: ${printed.join('')}`);
  return printed.join('');
}

const setUp = (checkout: string, what: string) => run(checkout, 'sh', 'bin/setup', what);

/** A package in a file, which npm installs without a network. */
async function makePackage(directory: string, name: string, version: string): Promise<object> {
  const source = join(directory, '.cache', name);
  await mkdir(join(source, 'package'), { recursive: true });
  await writeFile(join(source, 'package', 'package.json'), JSON.stringify({ name, version }));
  await run(directory, 'tar', '-czf', `${name}-${version}.tgz`, '-C', source, 'package');
  return { [name]: `file:${name}-${version}.tgz` };
}

/** What a clone has: the set-up itself, and small packages of each kind under their lock. */
async function release(context: TestContext, version: string): Promise<string> {
  const origin = await temporaryDirectory(context);
  const manifest = {
    dependencies: await makePackage(origin, 'running', version),
    optionalDependencies: await makePackage(origin, 'format', version),
    devDependencies: await makePackage(origin, 'peer', version),
  };
  await writeFile(join(origin, 'package.json'), JSON.stringify(manifest, null, 2));
  await run(origin, 'npm', 'install', '--package-lock-only', '--loglevel=error');
  for (const file of ['bin/setup', 'scripts/find-node.sh'])
    await cp(join(root, file), join(origin, file), { recursive: true });
  await rm(join(origin, '.cache'), { recursive: true });
  return origin;
}

async function packages(checkout: string): Promise<Record<string, string>> {
  const modules = join(checkout, 'node_modules');
  const names = (await readdir(modules)).filter((name) => !name.startsWith('.')).sort();
  const version = async (name: string) =>
    JSON.parse(await readFile(join(modules, name, 'package.json'), 'utf8')).version;
  return Object.fromEntries(await Promise.all(names.map(async (name) => [name, await version(name)])));
}

const running = { format: '1.0.0', running: '1.0.0' };
const all = { format: '1.0.0', peer: '1.0.0', running: '1.0.0' };

test('npm start installs what running needs; what others add stays, and nothing is installed twice', async (t) => {
  const checkout = await release(t, '1.0.0');
  assert.match(await setUp(checkout, 'start'), /installing npm packages/);
  assert.deepEqual(await packages(checkout), running);
  assert.equal(await setUp(checkout, 'start'), '');
  assert.match(await setUp(checkout, 'develop'), /installing npm packages/);
  assert.deepEqual(await packages(checkout), all);
  for (const what of ['start', 'develop', 'start']) assert.equal(await setUp(checkout, what), '');
  assert.deepEqual(await packages(checkout), all);
});

test('after a pull that changed the lock, npm start brings everything up to date that is there', async (t) => {
  const [before, after] = [await release(t, '1.0.0'), await release(t, '2.0.0')];
  const lean = await temporaryDirectory(t);
  await cp(before, lean, { recursive: true });
  await setUp(lean, 'start');
  await setUp(before, 'develop');
  for (const checkout of [lean, before]) {
    await cp(after, checkout, { recursive: true });
    assert.match(await setUp(checkout, 'start'), /installing npm packages/);
    assert.equal(await setUp(checkout, 'start'), '');
  }
  assert.deepEqual(await packages(lean), { format: '2.0.0', running: '2.0.0' });
  assert.deepEqual(await packages(before), { format: '2.0.0', peer: '2.0.0', running: '2.0.0' });
});

test('two set-ups at the same time in a new clone both succeed, and nothing is missing', async (t) => {
  const checkout = await release(t, '1.0.0');
  await Promise.all(['start', 'develop', 'start'].map((what) => setUp(checkout, what)));
  assert.deepEqual(await packages(checkout), all);
});

test('a set-up that is killed while it adds packages harms nobody, and the next one adds them', async (t) => {
  const checkout = await release(t, '1.0.0');
  await setUp(checkout, 'start');
  const killed = begin(checkout, 'sh', 'bin/setup', 'develop');
  const ended = once(killed, 'close');
  await Promise.race([once(killed.stdout, 'data'), ended]);
  assert.equal(killed.exitCode, null, 'it had something to add');
  process.kill(-(killed.pid ?? 0), 'SIGKILL');
  await ended;
  assert.equal(await setUp(checkout, 'start'), '');
  await setUp(checkout, 'develop');
  assert.deepEqual(await packages(checkout), all);
});

test('an optional package that cannot be fetched is named', async (t) => {
  const checkout = await release(t, '1.0.0');
  await rm(join(checkout, 'format-1.0.0.tgz'));
  assert.match(await setUp(checkout, 'start'), /could not install the optional packages format\./);
  assert.deepEqual(await packages(checkout), { running: '1.0.0' });
});
