/**
 * `npm test` runs everything: types, lint and format, then all tests. `npm test -- src/engine/broker` runs only the
 * tests below those paths, and nothing else.
 */
import { spawn } from 'node:child_process';
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, resolve, sep } from 'node:path';
import { run } from 'node:test';
import { shareServers } from '../src/engine/testing/servers/shared.ts';
import { processorSeconds, processorTimesVariable, readProcessorTimes } from './processor-time.ts';
import { reportTests } from './report-tests.ts';
import { longestFirst, readTestTimes, rememberTestTimes } from './test-times.ts';

const root = join(import.meta.dirname, '..');
process.chdir(root);
const paths = process.argv.slice(2);
const cache = join(root, '.cache');
const timesFile = join(cache, 'test-times.json');
const processorTimesFile = join(cache, 'test-processor-times.tsv');
// Otherwise each test file would spend a third of its CPU time compiling the same modules. `bin/pismak` uses the cache too.
process.env.NODE_COMPILE_CACHE ??= join(cache, 'node');

if (paths.length === 0) {
  // The compiler checks again what has changed since the last run, and what depends on it: 3 s of a core instead of 19.
  const known = ['--incremental', '--tsBuildInfoFile', join(cache, 'types.tsbuildinfo')];
  await step('types', 'node_modules/typescript/bin/tsc', '-p', '.', ...known);
  await step('lint and format', 'node_modules/@biomejs/biome/bin/biome', 'ci', '--colors=off', '.');
}
await runTests(testFiles(paths));

/** Runs a program of node_modules; ends the whole run with its output when it fails. */
async function step(name: string, program: string, ...parameters: string[]): Promise<void> {
  const start = performance.now();
  const child = spawn(process.execPath, [program, ...parameters], { stdio: ['ignore', 'pipe', 'pipe'] });
  const output: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => output.push(chunk));
  const code = await new Promise((done) => child.on('close', done));
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  if (code !== 0) {
    process.stdout.write(Buffer.concat(output));
    fail(`${name}: failed after ${seconds} s`);
  }
  console.log(`${name}: ok, ${seconds} s`);
}

function testFiles(below: readonly string[]): string[] {
  const all = globSync('{src,test,scripts,bench,examples,web/src,web/tests}/**/*.test.ts').sort();
  const chosen = below.flatMap((path) => {
    const wanted = resolve(path);
    const found = all.filter((file) => resolve(file) === wanted || resolve(file).startsWith(wanted + sep));
    return found.length > 0 ? found : fail(`no test files (*.test.ts) at ${path}`);
  });
  const files = below.length === 0 ? all : [...new Set(chosen)];
  return files.length > 0 ? files : fail('no test files (*.test.ts) anywhere');
}

async function runTests(files: string[]): Promise<void> {
  console.log(`tests: ${files.length} ${files.length === 1 ? 'file' : 'files'}`);
  const servers = await shareServers();
  // They end with us anyway, but would leave their files; a second Ctrl-C does not wait.
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => void servers.close().finally(() => process.kill(process.pid, signal)));
  const ordered = longestFirst(files, readTestTimes(timesFile), guessTime);
  // Most tests wait for a disk, a lease or a server: with four files, two cores are idle for a quarter of the time.
  const concurrency = availableParallelism() + 3;
  mkdirSync(cache, { recursive: true });
  writeFileSync(processorTimesFile, '');
  process.env[processorTimesVariable] = processorTimesFile;
  const execArgv = ['--import', join(import.meta.dirname, 'processor-time.ts')];
  const events = run({ files: ordered, concurrency, timeout: 900_000, execArgv });
  const write = (text: string) => process.stdout.write(text);
  const { passed, times } = await reportTests(events, write, () => readProcessorTimes(processorTimesFile));
  await servers.close();
  console.log(`ℹ processor time ${processorSeconds().toFixed(0)} s`);
  if (passed) rememberTestTimes(timesFile, times);
  else process.exitCode = 1;
}

/** Tests of the whole program take longest, then those that start servers. */
function guessTime(file: string): number {
  if (file.startsWith(`test${sep}`)) return 90_000;
  const servers = /(start|shared)(Postgres|Rabbit|Zookeeper)|RunningPismak|survive/;
  return servers.test(readFileSync(file, 'utf8')) ? 60_000 : 1000;
}

function fail(message: string): never {
  console.error(message);
  process.exit(1);
}
