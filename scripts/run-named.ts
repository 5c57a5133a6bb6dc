/**
 * `npm run bench [-- NAME [ARGUMENTS]]` runs bench/NAME.ts, `npm run prove [-- NAME [ARGUMENTS]]` runs test/prove/NAME.ts;
 * without a name, all of them but `bench -- compare`. `--list` lists them. Each gets `--json FILE` to write its figures to.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const kinds = {
  bench: { folder: 'bench', results: 'bench/results' },
  prove: { folder: 'test/prove', results: 'prove-results' },
};

process.chdir(join(import.meta.dirname, '..'));
const [kind, ...parameters] = process.argv.slice(2);
if (kind !== 'bench' && kind !== 'prove') fail('usage: run-named.ts bench|prove [NAME] [ARGUMENTS]');
const { folder, results } = kinds[kind];
const known = programs(folder);

if (parameters[0] === '--list') {
  for (const name of known) console.log(name);
} else {
  const named = parameters[0] !== undefined && !parameters[0].startsWith('-');
  const name = named ? parameters[0] : undefined;
  const rest = parameters.slice(named ? 1 : 0);
  if (name !== undefined && !known.includes(name)) fail(`there is no ${folder}/${name}.ts`);
  mkdirSync(results, { recursive: true });
  // A comparison needs to be told with what.
  const chosen = name === undefined ? known.filter((each) => each !== 'compare') : [name];
  if (chosen.length === 0) fail(`there is nothing to run in ${folder}`);
  for (const each of chosen) if (!(await runProgram(each, rest))) process.exitCode = 1;
}

function programs(directory: string): string[] {
  if (!existsSync(directory)) return [];
  return readdirSync(directory)
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .map((file) => file.slice(0, -'.ts'.length))
    .sort();
}

async function runProgram(name: string, rest: readonly string[]): Promise<boolean> {
  const program = join(folder, `${name}.ts`);
  const file = join(results, `${name}.json`);
  console.log(`${kind} ${name}: ${program}, figures in ${file}`);
  const child = spawn(process.execPath, [program, '--json', file, ...rest], { stdio: 'inherit' });
  // The child is in our process group and gets Ctrl-C too: we only wait for it to clean up.
  const wait = () => {};
  process.on('SIGINT', wait);
  const passOn = () => child.kill('SIGTERM');
  process.on('SIGTERM', passOn);
  const code = await new Promise((done) => child.on('close', (status, signal) => done(status ?? signal)));
  process.off('SIGINT', wait).off('SIGTERM', passOn);
  if (code !== 0) console.error(`${kind} ${name}: failed (${code})`);
  return code === 0;
}

function fail(message: string): never {
  const list = kind === 'bench' || kind === 'prove' ? programs(kinds[kind].folder) : [];
  console.error(list.length > 0 ? `${message}; choose from: ${list.join(', ')}` : message);
  process.exit(2);
}
