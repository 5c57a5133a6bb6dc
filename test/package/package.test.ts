import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { globSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { temporaryDirectory } from '../../src/engine/testing/temporary-directory.ts';
import { endsWithUs, RunningPismak } from '../running-pismak.ts';
import { copyCheckout, installed, installInto, run, transcribeSample } from './installation.ts';

const root = join(import.meta.dirname, '..', '..');
const houses = globSync('src/*/house.ts', { cwd: root })
  .map((path) => basename(dirname(path)))
  .filter((name) => name !== 'engine');
const checkout = join(root, '.cache', 'checkout');
const cleanUp: (() => Promise<void>)[] = [];
let work = '';
let version = '';

async function install(name: string): Promise<string> {
  const directory = join(work, name);
  await installInto(directory, [join(work, `${name}-${version}.tgz`)]);
  return directory;
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
  await copyCheckout(checkout);
  const manifest = await readFile(join(checkout, 'package.json'), 'utf8');
  version = JSON.parse(manifest).version;
  await run(checkout, 'npm', 'pack', '--pack-destination', work);
  assert.equal(
    await readFile(join(checkout, 'package.json'), 'utf8'),
    manifest,
    'its own package.json is back',
  );
  assert.ok(!(await readdir(checkout)).includes('dist'), 'npm pack left dist/');
  // It has laid out all packages.
  const engine = join(checkout, '.cache', 'pack', 'pismak-engine');
  await run(engine, 'npm', 'pack', '--ignore-scripts', '--pack-destination', work);
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

/** What Node starts with before its program, without the directories of modules. */
function flagsOf([, ...words]: readonly string[] = []): string {
  const program = words.findIndex((word) => /\/(main\.ts|bin\.js|pismak)"?$/.test(word));
  assert.ok(program > 0, words.join(' '));
  const flags = words.slice(0, program).join(' ').replaceAll('"', '');
  return flags.replaceAll('--import=', '--import ').replace(/\S*\/cli\/(\S+)\.[jt]s/g, '$1');
}

test('pismak installs into an empty directory, runs there, and writes nothing below node_modules', async (t) => {
  const directory = await install('pismak');
  const shipped = await readdir(join(directory, 'node_modules', 'pismak'), { recursive: true });
  assert.deepEqual(
    shipped.filter((file) => /\.test\.|(^|\/)(testing|contract|samples)(\/|$)|(?<!\.d)\.ts$/.test(file)),
    [],
    'tests and sources stay out',
  );
  assert.equal((await run(directory, 'npx', 'pismak', '--version')).trim(), version);

  await transcribeSample(directory);

  const command = [...endsWithUs, process.execPath, join(directory, 'node_modules', '.bin', 'pismak'), 'up'];
  const running = new RunningPismak(join(directory, 'data'), { 'worker.count': 1 }, command);
  t.after(() => running.kill());
  await running.start();
  const cmdline = await readFile(`/proc/${running.pid}/cmdline`, 'utf8');
  const console = await (await fetch(`${running.url}/console/`)).text();
  const script = /src="(\/console\/assets\/[^"]+\.js)"/.exec(console)?.[1];
  const answer = await fetch(`${running.url}${script}`);
  assert.deepEqual(
    [answer.status, answer.headers.get('content-encoding')],
    [200, 'gzip'],
    'it ships the console',
  );
  await running.stop();
  const fromSource = await readFile(join(root, 'bin', 'pismak'), 'utf8');
  assert.deepEqual(flagsOf(cmdline.split('\0')), flagsOf(/^exec (.*)$/m.exec(fromSource)?.[1]?.split(' ')));
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

test('on an older Node the command says what it needs', async () => {
  const bin = join(checkout, '.cache', 'pack', 'pismak-engine', 'dist', 'bin.js');
  const older = 'Object.defineProperty(process, "versions", { value: { node: "22.9.0" } })';
  const words = ['--import', `data:text/javascript,${encodeURIComponent(older)}`, bin, 'up'];
  const child = spawn(process.execPath, words, { stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = new Promise((resolve) => child.once('close', resolve));
  assert.match(await text(child.stderr), /^pismak needs Node >= 24/);
  assert.equal(await ended, 1);
});
