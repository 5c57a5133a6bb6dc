import { readdir, readFile } from 'node:fs/promises';
import type { StackPlan } from './stack-plan.ts';

/** A process that a stack has started, or a child of one. */
export interface StackProcess {
  pid: number;
  parent: number;
  server: string;
}

/**
 * Servers carry their stack and their name in the environment. So they are found whatever became of the process that
 * started them, and a number that the system gave to another process is never mistaken for one.
 */
export function marks({ directory }: StackPlan, server: string): Record<string, string> {
  return { PISMAK_STACK: directory, PISMAK_STACK_SERVER: server };
}

/** All processes of the stack that can be told by their environment: the servers and some of their children. */
export async function stackProcesses({ directory }: StackPlan): Promise<StackProcess[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const found = await Promise.all(
    pids.map(async (pid) => {
      // Those of other users can't be read, and are not ours.
      const variables = (await readProcess(pid, 'environ')).split('\0');
      if (!variables.includes(`PISMAK_STACK=${directory}`)) return [];
      const mark = variables.find((variable) => variable.startsWith('PISMAK_STACK_SERVER='));
      const [, parent] = /\) \w (\d+) /.exec(await readProcess(pid, 'stat')) ?? [];
      if (!mark || !parent) return [];
      return [{ pid, parent: Number(parent), server: mark.slice('PISMAK_STACK_SERVER='.length) }];
    }),
  );
  return found.flat();
}

/** The server's own process, which is no other's child. */
export function mainProcess(processes: readonly StackProcess[], server: string): number | undefined {
  const ours = processes.filter((one) => one.server === server);
  return ours.find(({ parent }) => !ours.some(({ pid }) => pid === parent))?.pid;
}

/** What a process and all below it take, in bytes; memory that they share is counted once. */
export async function memoryOf(pid: number): Promise<number> {
  const [pages, children] = await Promise.all([
    readProcess(pid, 'smaps_rollup'),
    readProcess(pid, `task/${pid}/children`),
  ]);
  const own = Number(/^Pss: +(\d+) kB/m.exec(pages)?.[1] ?? 0) * 1024;
  const below = await Promise.all(children.split(' ').filter(Boolean).map(Number).map(memoryOf));
  return below.reduce((sum, bytes) => sum + bytes, own);
}

async function readProcess(pid: number, file: string): Promise<string> {
  return readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => '');
}
