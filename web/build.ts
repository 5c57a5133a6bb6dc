/**
 * Builds the console into `web/dist/BUILD/`, with a list of its files in `web/dist/console.json`. Does nothing if web/ is as
 * it was at the last build. `node build.ts` installs what building needs; `install-all` only installs, and what checking needs too.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compressFiles } from './compress.ts';

const here = import.meta.dirname;
const dist = join(here, 'dist');
const list = join(dist, 'console.json');
const [what = 'build'] = process.argv.slice(2);

if (what === 'install') await install(false);
else if (what === 'install-all') await install(true);
else if (what === 'build') await build();
else fail('usage: node build.ts [build|install|install-all]');

async function build(): Promise<void> {
  const hash = hashOfSources();
  if (builtHash() === hash) return;
  await install(false);
  const start = performance.now();
  const target = join(dist, `.new-${process.pid}`);
  const name = hash.slice(0, 12);
  process.env.VITE_BUILD = name;
  await run(
    'node_modules/vite/bin/vite.js',
    'build',
    '--outDir',
    target,
    '--emptyOutDir',
    '--logLevel',
    'warn',
  );
  const files = await compressFiles(target, here);
  rmSync(join(dist, name), { recursive: true, force: true });
  renameSync(target, join(dist, name));
  const before = readList()?.build;
  writeFileSync(`${list}.new`, JSON.stringify({ build: name, hash, files }, null, 1));
  renameSync(`${list}.new`, list);
  // A server that runs still serves the build before; older ones are no longer asked for.
  for (const old of globSync('*/', { cwd: dist }).map((path) => path.replace(/\/$/, '')))
    if (old !== name && old !== before) rmSync(join(dist, old), { recursive: true, force: true });
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  console.log(`set-up: the console is built (${files.length} files, ${seconds} s)`);
}

function readList(): { build: string; hash: string } | undefined {
  return existsSync(list) ? JSON.parse(readFileSync(list, 'utf8')) : undefined;
}

function builtHash(): string | undefined {
  const known = readList();
  return known && existsSync(join(dist, known.build)) ? known.hash : undefined;
}

/** Of everything that the build reads. */
function hashOfSources(): string {
  const hash = createHash('sha256');
  const files = globSync('{src/**/*,*.{ts,js,json,html}}', { cwd: here, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.test.ts'))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  for (const file of files)
    hash
      .update(`${file.slice(here.length)}\0`)
      .update(readFileSync(file))
      .update('\0');
  return hash.digest('hex');
}

/** Takes the versions of the lock. The root's packages stay as they are. */
async function install(all: boolean): Promise<void> {
  const lock = readFileSync(join(here, 'package-lock.json'));
  const wanted = `${createHash('sha256').update(lock).digest('hex')}${all || hasAll() ? ' all' : ''}`;
  const stamp = join(here, 'node_modules/.setup-stamp');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return;
  console.log(`set-up: installing npm packages into ${join(here, 'node_modules')}`);
  const omit = wanted.endsWith(' all') ? [] : ['--omit=dev'];
  await command('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', ...omit]);
  mkdirSync(join(here, 'node_modules'), { recursive: true });
  writeFileSync(stamp, wanted);
}

function hasAll(): boolean {
  return existsSync(join(here, 'node_modules/svelte-check'));
}

function run(program: string, ...parameters: string[]): Promise<void> {
  return command(process.execPath, [program, ...parameters]);
}

function command(program: string, parameters: string[]): Promise<void> {
  const child = spawn(program, parameters, { cwd: here, stdio: ['ignore', 'inherit', 'inherit'] });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) =>
      code === 0
        ? resolve()
        : reject(new Error(`${program} ${parameters[0]} failed; the reason stands above`)),
    );
  });
}

function fail(message: string): never {
  console.error(message);
  process.exit(2);
}
