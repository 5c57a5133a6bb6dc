/**
 * `npm test` runs everything: types, lint and format, then all tests. `npm test -- src/engine/broker` runs only the
 * tests below those paths, and nothing else.
 */
import { spawn } from 'node:child_process';
import { globSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, resolve, sep } from 'node:path';
import { run } from 'node:test';
import { reportTests } from './report-tests.ts';

const root = join(import.meta.dirname, '..');
process.chdir(root);
const paths = process.argv.slice(2);

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
  // As many files at once as there are cores: most tests wait for a disk or for a child process.
  const stream = run({ files, concurrency: availableParallelism(), timeout: 300_000 });
  const passed = await reportTests(stream, (text) => process.stdout.write(text));
  if (!passed) process.exitCode = 1;
}

function fail(message: string): never {
  console.error(message);
  process.exit(1);
}
