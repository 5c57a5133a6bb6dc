import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PackageParts } from './packages.ts';

interface BuiltFile {
  path: string;
  /** The house whose page it is; none: the shell's. */
  house?: string;
}

/** Builds the console, unless it is built. */
export function buildConsole(root: string): void {
  const run = spawnSync(process.execPath, [join(root, 'web/build.ts')], { encoding: 'utf8' });
  if (run.status !== 0) throw new Error(`the console could not be built:\n${run.stdout}${run.stderr}`);
}

/** Copies a package's part of the console: the complete package has all of it, the engine the shell, and each house its own pages. */
export function copyConsolePart(root: string, { command, folders }: PackageParts, directory: string): void {
  const dist = join(root, 'web/dist');
  const { build, files } = JSON.parse(readFileSync(join(dist, 'console.json'), 'utf8')) as {
    build: string;
    files: BuiltFile[];
  };
  const mine = files.filter(({ house }) =>
    house === undefined ? command !== undefined : folders.includes(house),
  );
  if (mine.length === 0) return;
  const target = join(directory, 'dist/console');
  for (const path of mine.flatMap((file) => ['', '.br', '.gz'].map((ending) => file.path + ending)))
    if (existsSync(join(dist, build, path))) cpSync(join(dist, build, path), join(target, build, path));
  mkdirSync(target, { recursive: true });
  writeFileSync(join(target, 'console.json'), JSON.stringify({ build, files: mine }));
}
