import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';

const root = join(import.meta.dirname, '..', '..');

/** Runs a command with the Node of this process first on PATH: npm and npx start programs with it. */
export async function run(directory: string, ...[command = '', ...words]: string[]): Promise<string> {
  const env = { ...process.env, PATH: `${dirname(process.execPath)}${delimiter}${process.env.PATH}` };
  const child = spawn(command, words, { cwd: directory, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise((resolve) => child.once('close', resolve));
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  assert.equal(code, 0, `${command} ${words.join(' ')}: ${stdout}${stderr}`);
  return stdout;
}

/** Where packing leaves what it has compiled. */
const compiled = join('.cache', 'pack', 'build');

/**
 * A checkout to pack from: `npm pack` works in it, and other tests run from this one. Uses the installed packages of ours.
 * Of an earlier checkout in the same place only the compiler's output stays, so that it compiles only what has changed.
 */
export async function copyCheckout(checkout: string): Promise<void> {
  const kept = `${checkout}.compiled`;
  if (existsSync(join(checkout, compiled))) {
    await rm(kept, { recursive: true, force: true });
    await rename(join(checkout, compiled), kept);
  }
  await rm(checkout, { recursive: true, force: true });
  const folders = ['src', 'scripts', 'bin', 'package.json', 'package-lock.json', 'tsconfig.json', '.npmrc'];
  // The console shows sample scans.
  for (const name of [...folders, 'samples', 'README.md', 'LICENSE', 'CHANGELOG.md'])
    await cp(join(root, name), join(checkout, name), { recursive: true });
  const isOurs = (path: string) => !path.includes('node_modules');
  await cp(join(root, 'web'), join(checkout, 'web'), {
    recursive: true,
    filter: isOurs,
    preserveTimestamps: true,
  });
  await symlink(join(root, 'node_modules'), join(checkout, 'node_modules'));
  await mkdir(dirname(join(checkout, compiled)), { recursive: true });
  if (existsSync(kept)) await rename(kept, join(checkout, compiled));
}

/** Installs tarballs into an empty directory. */
export async function installInto(directory: string, tarballs: readonly string[]): Promise<void> {
  await mkdir(directory);
  await writeFile(join(directory, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
  const quickly = ['--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  await run(directory, 'npm', 'install', ...quickly, ...tarballs);
}

/** Every package in node_modules, by name. */
export async function installed(directory: string): Promise<string[]> {
  const lock = JSON.parse(await readFile(join(directory, 'node_modules', '.package-lock.json'), 'utf8'));
  return Object.keys(lock.packages).map((path) => path.replace(/^.*node_modules\//, ''));
}

export async function transcribeSample(directory: string): Promise<void> {
  await mkdir(join(directory, 'scans'));
  await cp(join(root, 'samples', 'scans', 'clean-1.png'), join(directory, 'scans', 'clean-1.png'));
  await run(directory, 'npx', 'pismak', 'transcribe', 'scans', '-o', 'out');
  assert.match(await readFile(join(directory, 'out', 'clean-1.txt'), 'utf8'), /Paměti obecní/);
}
