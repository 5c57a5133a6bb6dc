import { fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Parts } from './part-process.ts';

const root = join(import.meta.dirname, '../..');

type Figures<Name extends keyof Parts> = Awaited<ReturnType<Parts[Name]>>;

/** Runs a part as `bin/pismak` would run it. */
export function runPart<Name extends keyof Parts>(
  name: Name,
  options: Parameters<Parts[Name]>[0],
): Promise<Figures<Name>> {
  const child = fork(join(import.meta.dirname, 'part-process.ts'), [name, JSON.stringify(options)], {
    cwd: root,
    execArgv: ['--max-semi-space-size=8'],
    env: { NODE_COMPILE_CACHE: join(root, '.cache/node'), ...process.env },
  });
  return new Promise((resolve, reject) => {
    child.once('message', (figures) => resolve(figures as Figures<Name>));
    child.once('exit', (code) => reject(new Error(`${name} ended with ${code}`)));
  });
}

/** Process ids of what this process has started, except some. */
export function startedHere(except: readonly (number | undefined)[]): number[] {
  const children = readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').trim().split(' ');
  return children.map(Number).filter((pid) => pid > 0 && !except.includes(pid));
}
