import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { globSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { basename, delimiter, dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { temporaryDirectory } from '../../src/engine/testing/temporary-directory.ts';
import { RunningPismak } from '../running-pismak.ts';

const root = join(import.meta.dirname, '..', '..');
const houses = globSync('src/*/house.ts', { cwd: root })
  .map((path) => basename(dirname(path)))
  .filter((name) => name !== 'engine');
const cleanUp: (() => Promise<void>)[] = [];
let work = '';
let version = '';

/** Runs a command with the Node of this test first on PATH: npm and npx start programs with it. */
async function run(directory: string, ...[command = '', ...words]: string[]): Promise<string> {
  const env = { ...process.env, PATH: `${dirname(process.execPath)}${delimiter}${process.env.PATH}` };
  const child = spawn(command, words, { cwd: directory, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise((resolve) => child.once('close', resolve));
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  assert.equal(code, 0, `${command} ${words.join(' ')}: ${stdout}${stderr}`);
  return stdout;
}

const directories = new Map<string, Promise<string>>();

/** A directory into which these packages of ours have been installed, and nothing else; the same for the same packages. */
function install(...packages: string[]): Promise<string> {
  const name = packages.join('+');
  const directory = directories.get(name) ?? installInto(join(work, name), packages);
  directories.set(name, directory);
  return directory;
}

async function installInto(directory: string, packages: readonly string[]): Promise<string> {
  await mkdir(directory);
  await writeFile(join(directory, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
  const files = packages.map((each) => join(work, 'packages', `${each}-${version}.tgz`));
  const quickly = ['--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  await run(directory, 'npm', 'install', ...quickly, ...files);
  return directory;
}

/** Every package in node_modules, by name. */
async function installed(directory: string): Promise<string[]> {
  const lock = JSON.parse(await readFile(join(directory, 'node_modules', '.package-lock.json'), 'utf8'));
  return Object.keys(lock.packages).map((path) => path.replace(/^.*node_modules\//, ''));
}

async function transcribeSample(directory: string): Promise<void> {
  await mkdir(join(directory, 'scans'));
  await cp(join(root, 'samples', 'scans', 'clean-1.png'), join(directory, 'scans', 'clean-1.png'));
  await run(directory, 'npx', 'pismak', 'transcribe', 'scans', '-o', 'out');
  assert.match(await readFile(join(directory, 'out', 'clean-1.txt'), 'utf8'), /Paměti obecní/);
}

/** Compiles a program that imports these packages, with every declaration checked. */
async function checkTypes(directory: string, program: string): Promise<void> {
  await writeFile(join(directory, 'program.ts'), program);
  const options = {
    module: 'nodenext',
    target: 'es2024',
    lib: ['es2024', 'esnext.disposable'],
    strict: true,
  };
  const compilerOptions = {
    ...options,
    noEmit: true,
    types: ['node'],
    typeRoots: [join(root, 'node_modules', '@types')],
  };
  await writeFile(
    join(directory, 'tsconfig.json'),
    JSON.stringify({ compilerOptions, files: ['program.ts'] }),
  );
  await run(directory, process.execPath, join(root, 'node_modules', 'typescript', 'bin', 'tsc'), '-p', '.');
}

before(async () => {
  work = await temporaryDirectory({ after: (end) => cleanUp.push(end) });
  // Commands keep compiled code in the user's cache: not in that of the user who runs the tests.
  process.env.XDG_CACHE_HOME = join(work, 'cache');
  delete process.env.NODE_COMPILE_CACHE;
  // `npm pack` works in the checkout; other tests run from this one, so it gets a copy.
  const checkout = join(work, 'checkout');
  for (const name of [
    'src',
    'scripts',
    'bin',
    'package.json',
    'package-lock.json',
    'tsconfig.json',
    '.npmrc',
  ])
    await cp(join(root, name), join(checkout, name), { recursive: true });
  for (const name of ['README.md', 'LICENSE', 'CHANGELOG.md'])
    await cp(join(root, name), join(checkout, name));
  await symlink(join(root, 'node_modules'), join(checkout, 'node_modules'));
  const manifest = await readFile(join(checkout, 'package.json'), 'utf8');
  version = JSON.parse(manifest).version;
  await run(checkout, 'npm', 'run', 'packages', '--', join(work, 'packages'));
  await run(checkout, 'npm', 'pack', '--pack-destination', join(work, 'packages'));
  assert.equal(
    await readFile(join(checkout, 'package.json'), 'utf8'),
    manifest,
    'npm pack left its package.json',
  );
  assert.ok(!(await readdir(checkout)).includes('dist'), 'npm pack left dist/');
});

after(async () => {
  for (const end of cleanUp) await end();
});

/** A processor of the user's own, in TypeScript, and a house: what programs are written with. */
const program = (engine: string) => `
import { defineProcessor, defineOperation, type House, PermanentFailure, PismakError, runProcessor } from '${engine}';
const shout = defineProcessor(async (setup) => async (job) => {
  for (const name of job.files.names()) {
    const text = Buffer.from(await job.files.read(name)).toString();
    if (text === '') throw new PermanentFailure(name);
    await job.files.write(name, Buffer.from(text.toUpperCase() + setup.config));
  }
});
const { files } = await runProcessor(shout, { config: '!', files: { 'a.txt': 'hello' } });
const shouted: string | undefined = files['a.txt'];
export const house: House = { name: 'shouting', title: 'Shouting', commands: {}, load: async () => ({}) };
// @ts-expect-error: a code that is not in the table; were the types lost, this would be no error.
if (shouted !== 'HELLO!') throw new PismakError('no-such-code', String(defineOperation));
console.log(shouted);
`;
const reading = (transcription: string) => `
import { errorRate, evaluate, type Page, toText, transcription } from '${transcription}';
const page: Page = { width: 1, height: 1, regions: [] };
// @ts-expect-error: a page has a width; were the types lost, this would be no error.
const wrong: Page = { height: 1, regions: [] };
console.log(toText(page).length, errorRate({ errors: 1, length: 4 }), transcription.name, typeof evaluate, typeof wrong);
`;

test('pismak installs into an empty directory, runs there, and writes nothing below node_modules', async () => {
  const directory = await install('pismak');
  const shipped = await readdir(join(directory, 'node_modules', 'pismak'), { recursive: true });
  assert.deepEqual(
    shipped.filter((file) => /\.test\.|(^|\/)(testing|contract|samples)(\/|$)|(?<!\.d)\.ts$/.test(file)),
    [],
    'tests and sources stay out',
  );
  assert.equal((await run(directory, 'npx', 'pismak', '--version')).trim(), version);

  await transcribeSample(directory);

  const command = [process.execPath, join(directory, 'node_modules', '.bin', 'pismak'), 'up'];
  const running = new RunningPismak(join(directory, 'data'), { 'worker.count': 1 }, command);
  await running.start();
  // As with bin/pismak: the flag counts only if Node starts with it.
  assert.match(await readFile(`/proc/${running.pid}/cmdline`, 'utf8'), /--max-semi-space-size=8/);
  await running.stop();
  assert.match(running.output, /npx pismak dummy/);

  // The declarations of every house, once: each of its own package is made of the same files.
  const others = houses.filter((house) => house !== 'transcription');
  const imports = others.map((house) => `import { ${house} } from 'pismak/${house}';\nvoid ${house};\n`);
  await checkTypes(directory, program('pismak/engine') + reading('pismak/transcription') + imports.join(''));
  assert.match(
    await run(directory, process.execPath, 'program.ts'),
    /HELLO!\n0 0\.25 transcription function/,
  );
  await writeFile(
    join(directory, 'small.ts'),
    "import { defineProcessor } from 'pismak';\nexport default defineProcessor;",
  );
  await run(directory, process.execPath, 'small.ts');
  const doctor = JSON.parse(await run(directory, 'npx', 'pismak', 'doctor', '--data', 'data', '--json'));
  assert.equal(doctor.find(({ check }: { check: string }) => check === 'packages')?.state, 'ok');
  assert.notDeepEqual(await readdir(join(work, 'cache', 'pismak', 'node')), []);
  const now = await readdir(join(directory, 'node_modules', 'pismak'), { recursive: true });
  assert.deepEqual(now.sort(), shipped.sort());
});

test('pismak-engine alone runs, without any house or what only houses need', async () => {
  const directory = await install('pismak-engine');
  const names = await installed(directory);
  assert.ok(names.includes('fastify'));
  assert.deepEqual(
    names.filter((name) => /^pismak(?!-engine$)|sharp|tesseract|pdfium|yauzl|^@img/.test(name)),
    [],
  );
  assert.doesNotMatch(await run(directory, 'npx', 'pismak', '--help'), /transcribe/);
  await checkTypes(directory, program('pismak-engine'));
  assert.equal(await run(directory, process.execPath, 'program.ts'), 'HELLO!\n');
});

for (const house of houses) {
  test(`pismak-${house} installs with the engine alone, and the command has this house and no other`, async () => {
    const name = `pismak-${house}`;
    const directory = await install('pismak-engine', name);
    const ours = (await installed(directory)).filter((each) => /^pismak\b/.test(each));
    assert.deepEqual(ours.sort(), ['pismak-engine', name].sort());
    assert.deepEqual(await foreignTo(directory, name), []);
    const help = await run(directory, 'npx', 'pismak', '--help');
    for (const each of houses) assert.equal(help.toLowerCase().includes(`\n${each}:`), each === house, help);
    await writeFile(
      join(directory, 'program.ts'),
      `import { ${house} } from '${name}';\nconsole.log(${house}.name);`,
    );
    assert.equal(await run(directory, process.execPath, 'program.ts'), `${house}\n`);
  });
}

test('a process of the engine loads the processors of a house from its package', async () => {
  await transcribeSample(await install('pismak-engine', 'pismak-transcription'));
});

test('on an older Node the command says what it needs', async () => {
  const bin = join(work, 'checkout', '.cache', 'pack', 'pismak-engine', 'dist', 'bin.js');
  const older = 'Object.defineProperty(process, "versions", { value: { node: "22.9.0" } })';
  const words = ['--import', `data:text/javascript,${encodeURIComponent(older)}`, bin, 'up'];
  const child = spawn(process.execPath, words, { stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = new Promise((resolve) => child.once('close', resolve));
  assert.match(await text(child.stderr), /^pismak needs Node >= 24/);
  assert.equal(await ended, 1);
});

/** Third-party packages in node_modules that only other houses name. */
async function foreignTo(directory: string, house: string): Promise<string[]> {
  const build = join(work, 'checkout', '.cache', 'pack');
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
