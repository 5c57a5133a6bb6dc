/**
 * `npm test` runs everything: types, lint and format, then all tests. `npm test -- src/engine/broker` runs only the
 * tests below those paths, and nothing else.
 */
import { spawn } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, resolve, sep } from 'node:path';
import { run } from 'node:test';
import { shareServers } from '../src/engine/testing/servers/shared.ts';
import { reportTests, type TestReport } from './report-tests.ts';
import { longestFirst, readTestTimes, rememberTestTimes } from './test-times.ts';

const root = join(import.meta.dirname, '..');
process.chdir(root);
const paths = process.argv.slice(2);
const timesFile = join(root, '.cache', 'test-times.json');
// Otherwise each test file would spend a third of its CPU time compiling the same modules. `bin/pismak` uses the cache too.
process.env.NODE_COMPILE_CACHE ??= join(root, '.cache', 'node');

if (paths.length === 0) {
  await step('types', 'node_modules/typescript/bin/tsc', '-p', '.');
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
  const all = globSync('{src,test,scripts,bench,examples}/**/*.test.ts').sort();
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
  // Most tests wait for a disk, a lease or a server: with one file per core, a core would often be idle.
  const first = await runFiles(ordered, availableParallelism() + 2);
  const passed = first.passed || (await passAlone(files, first.failed));
  await servers.close();
  if (passed) rememberTestTimes(timesFile, first.times);
  else process.exitCode = 1;
}

async function runFiles(files: string[], concurrency: number): Promise<TestReport> {
  return await reportTests(run({ files, concurrency, timeout: 480_000 }), (text) =>
    process.stdout.write(text),
  );
}

/**
 * One failure in a long run may be of the crowded machine: real servers run out of time. The files that failed run once
 * more with nothing beside them. A file that passes only then does not hold anybody up, but it is named: either the
 * test is too impatient or it has found a rare fault.
 */
async function passAlone(all: readonly string[], failed: string[]): Promise<boolean> {
  const isCrowded = all.length > 100 && failed.length > 0 && failed.length <= 3;
  if (!isCrowded) return false;
  console.log(`\nagain, one at a time: ${failed.join(', ')}`);
  const { passed } = await runFiles(failed, 1);
  if (passed) console.log(`\nUNRELIABLE, passed only the second time: ${failed.join(', ')}`);
  return passed;
}

/** Tests that start servers or the whole program take longest. */
function guessTime(file: string): number {
  const servers = /(start|shared)(Postgres|Rabbit|Zookeeper)|RunningPismak|survive/;
  return servers.test(readFileSync(file, 'utf8')) ? 60_000 : 1000;
}

function fail(message: string): never {
  console.error(message);
  process.exit(1);
}
