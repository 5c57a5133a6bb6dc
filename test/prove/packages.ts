/**
 * `npm run prove -- packages`: `npm run packages`, then each house is installed beside the engine in a directory of its
 * own. There the command has this house and no other, and nothing is installed that only other houses need.
 * `npm test` does the same with `pismak` and with the engine alone.
 */
import assert from 'node:assert/strict';
import { existsSync, globSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { copyCheckout, installed, installInto, run, transcribeSample } from '../package/installation.ts';
import { RunningPismak } from '../running-pismak.ts';

const { values } = parseArgs({ options: { json: { type: 'string' } } });
const root = join(import.meta.dirname, '..', '..');
const houses = globSync('src/*/house.ts', { cwd: root })
  .map((path) => basename(dirname(path)))
  .filter((name) => name !== 'engine');
const work = await mkdtemp(join(tmpdir(), 'pismak-packages-'));
// Commands keep compiled code in the user's cache: not in that of the user who runs this.
process.env.XDG_CACHE_HOME = join(work, 'cache');
const checkout = join(work, 'checkout');
await copyCheckout(checkout);
const { version } = JSON.parse(await readFile(join(checkout, 'package.json'), 'utf8'));
await run(checkout, 'npm', 'run', 'packages', '--', join(work, 'packages'));
console.log('the packages are built');

const figures: { house: string; packages: number }[] = [];
for (const house of houses) {
  const name = `pismak-${house}`;
  const directory = join(work, name);
  const tarballs = ['pismak-engine', name].map((each) => join(work, 'packages', `${each}-${version}.tgz`));
  await installInto(directory, tarballs);
  const present = await installed(directory);
  assert.deepEqual(present.filter((each) => /^pismak\b/.test(each)).sort(), ['pismak-engine', name].sort());
  assert.deepEqual(await foreignTo(directory, name), []);
  const help = await run(directory, 'npx', 'pismak', '--help');
  for (const each of houses) assert.equal(help.toLowerCase().includes(`\n${each}:`), each === house, help);
  await writeFile(
    join(directory, 'program.ts'),
    `import { ${house} } from '${name}';\nconsole.log(${house}.name);`,
  );
  assert.equal(await run(directory, process.execPath, 'program.ts'), `${house}\n`);
  // A process of the engine loads the processors of a house from its package.
  if (house === 'transcription') await transcribeSample(directory);
  await servesConsole(directory, name);
  figures.push({ house, packages: present.length });
  console.log(`${name} works with the engine alone, ${present.length} packages`);
}
await rm(work, { recursive: true, force: true });
if (values.json) await writeFile(values.json, `${JSON.stringify(figures, null, 2)}\n`);

/** The engine serves the shell of the console, and the pages that the house's package brings. */
async function servesConsole(directory: string, house: string): Promise<void> {
  const command = [process.execPath, join(directory, 'node_modules', '.bin', 'pismak'), 'up'];
  const running = new RunningPismak(join(directory, 'data'), { 'worker.count': 0 }, command);
  await running.start();
  for (const name of ['pismak-engine', house]) {
    const list = join(directory, 'node_modules', name, 'dist/console/console.json');
    if (!existsSync(list)) continue;
    const { files } = JSON.parse(await readFile(list, 'utf8')) as { files: { path: string }[] };
    for (const { path } of files) {
      const { status } = await fetch(`${running.url}/console/${path}`);
      assert.equal(status, 200, `${name}: ${path}`);
    }
  }
  await running.stop();
}

/** Third-party packages in node_modules that only other houses name. */
async function foreignTo(directory: string, house: string): Promise<string[]> {
  const build = join(checkout, '.cache', 'pack');
  const named = async (name: string) => {
    const manifest = JSON.parse(await readFile(join(build, name, 'package.json'), 'utf8'));
    return Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies });
  };
  const mine = new Set([...(await named('pismak-engine')), ...(await named(house))]);
  const theirs = (await named('pismak')).filter((name) => !mine.has(name));
  const lock = JSON.parse(await readFile(join(directory, 'node_modules', '.package-lock.json'), 'utf8'));
  const packages = Object.entries(lock.packages as Record<string, { dependencies?: object }>);
  // What a package of somebody else's needs comes with it.
  const needed = new Set(
    packages.flatMap(([path, { dependencies = {} }]) =>
      path.includes('node_modules/pismak') ? [] : Object.keys(dependencies),
    ),
  );
  const present = await installed(directory);
  return theirs.filter((name) => present.includes(name) && !needed.has(name));
}
