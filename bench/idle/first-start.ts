import { execFileSync } from 'node:child_process';
import { cpSync, readdirSync, readFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { childProcesses, cpuTicksWithEnded } from '../../src/engine/testing/child-processes.ts';
import { commands, RunningPismak } from '../../test/running-pismak.ts';
import { scratchDirectory } from '../engine/scratch.ts';

const root = join(import.meta.dirname, '..', '..');
/** What a clone doesn't have. */
const notCloned = new Set(['node_modules', '.git', '.cache', '.pismak', '.pismak-stack', 'packages', 'dist']);
const mostMs = 300_000;

export interface FirstStart {
  cache: 'empty' | 'warm';
  packages: number;
  installedMb: number;
  /** Seconds since `npm start`, and processor time of all its processes until then. */
  installed: { seconds: number; cpuSeconds: number };
  healthy: { seconds: number; cpuSeconds: number };
}

/** `npm start` in fresh copies of this tree: with an empty npm cache, then with what that left in it. Needs a registry. */
export async function firstStartPart(): Promise<FirstStart[]> {
  const cache = scratchDirectory();
  return [await firstStart('empty', cache), await firstStart('warm', cache)];
}

async function firstStart(name: FirstStart['cache'], cache: string): Promise<FirstStart> {
  const tree = scratchDirectory();
  for (const entry of readdirSync(root)) {
    if (!notCloned.has(entry)) cpSync(join(root, entry), join(tree, entry), { recursive: true });
  }
  const command = ['env', ...environment(cache), 'npm', '--prefix', tree, ...commands.npmStart.slice(1)];
  const pismak = new RunningPismak(join(tree, '.pismak'), {}, command);
  const startedAt = performance.now();
  const sinceStart = () => ({
    seconds: (performance.now() - startedAt) / 1000,
    cpuSeconds: cpuSecondsBelow(process.pid),
  });
  const ended = new AbortController();
  try {
    const installed = untilExists(join(tree, 'node_modules', '.setup-stamp'), ended.signal).then(sinceStart);
    await pismak.start(mostMs);
    const healthy = sinceStart();
    const list = readFileSync(join(tree, 'node_modules', '.package-lock.json'), 'utf8');
    const disk = execFileSync('du', ['-sk', join(tree, 'node_modules')], { encoding: 'utf8' });
    return {
      cache: name,
      packages: Object.keys(JSON.parse(list).packages).length,
      installedMb: Number.parseInt(disk, 10) / 1024,
      installed: await installed,
      healthy,
    };
  } finally {
    ended.abort();
    await pismak.stop();
  }
}

/** Words for `env`: nothing from the npm and the Node that run this benchmark. */
function environment(cache: string): string[] {
  const ours = Object.keys(process.env).filter(
    (name) =>
      /^(npm_|NODE_|INIT_CWD$)/.test(name) && !/^(npm_config_registry|NODE_EXTRA_CA_CERTS)$/.test(name),
  );
  const path = (process.env.PATH ?? '')
    .split(delimiter)
    .filter((directory) => !/node_modules|node-gyp-bin/.test(directory));
  return [
    ...ours.flatMap((name) => ['-u', name]),
    `PATH=${path.join(delimiter)}`,
    `npm_config_cache=${cache}`,
  ];
}

async function untilExists(file: string, signal: AbortSignal): Promise<void> {
  while (!signal.aborted && !(await stat(file).catch(() => undefined))) await wait(50);
}

/** Of the living processes below this one, and of those that they have waited for. */
function cpuSecondsBelow(parent: number): number {
  const pids = childProcesses(parent);
  for (const pid of pids) pids.push(...childProcesses(pid));
  return pids.reduce((sum, pid) => sum + cpuTicksWithEnded(pid), 0) / 100;
}
