/**
 * `npm run packages [-- DIRECTORY]` writes a tarball of each package (pismak, pismak-engine, one per house), by default
 * into packages/. The repository itself runs from source; only packages are compiled, as Node refuses to strip types
 * below node_modules.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { stagePackages } from './stage.ts';

const root = join(import.meta.dirname, '..', '..');
const target = resolve(process.argv[2] ?? join(root, 'packages'));
mkdirSync(target, { recursive: true });
for (const { name, directory, manifest } of stagePackages(root, join(root, '.cache', 'pack'))) {
  const words = ['pack', '--ignore-scripts', '--silent', '--pack-destination', target];
  const run = spawnSync('npm', words, { cwd: directory, encoding: 'utf8' });
  if (run.status !== 0) throw new Error(`npm pack of ${name} failed:\n${run.stdout}${run.stderr}`);
  console.log(join(target, `${name}-${manifest.version}.tgz`));
}
