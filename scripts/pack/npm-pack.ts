/**
 * Makes a plain `npm pack` at the root give the package `pismak`. npm packs the directory as it is, so the compiled
 * package takes the place of package.json and dist/ for that moment: `before` is the script prepack, `after` postpack.
 */
import { cpSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { stagePackages } from './stage.ts';

const root = join(import.meta.dirname, '..', '..');
const work = join(root, '.cache', 'pack');
const manifest = join(root, 'package.json');
const dist = join(root, 'dist');
const saved = join(work, 'package.json.checkout');

if (process.argv[2] === 'before') before();
else if (process.argv[2] === 'after') restore();
else throw new Error('usage: npm-pack.ts before|after');

function before(): void {
  // Left by a run that was killed.
  restore();
  mkdirSync(work, { recursive: true });
  const complete = stagePackages(root, work).find(({ name }) => name === 'pismak');
  if (!complete) throw new Error('there is no package pismak');
  cpSync(join(complete.directory, 'dist'), dist, { recursive: true });
  cpSync(manifest, saved);
  replace(join(complete.directory, 'package.json'));
}

function restore(): void {
  rmSync(dist, { recursive: true, force: true });
  if (!existsSync(saved)) return;
  replace(saved);
  rmSync(saved);
}

/** Atomically: package.json is complete at every moment. */
function replace(by: string): void {
  cpSync(by, `${manifest}.new`);
  renameSync(`${manifest}.new`, manifest);
}
