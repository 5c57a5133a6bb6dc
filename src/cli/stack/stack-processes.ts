import { readdir, readFile } from 'node:fs/promises';
import type { StackPlan } from './stack-plan.ts';

/** A process that a stack has started, or its child. */
export interface StackProcess {
  pid: number;
  parent: number;
  server: string;
}

/**
 * Servers carry their stack and their name in the environment. So we find them even after the process that started them
 * has ended, and never mistake another process with a reused pid for one of them.
 */
export function marks({ directory }: StackPlan, server: string): Record<string, string> {
  return { PISMAK_STACK: directory, PISMAK_STACK_SERVER: server };
}

/** All processes of the stack that their environment identifies: the servers and some of their children. */
export async function stackProcesses({ directory }: StackPlan): Promise<StackProcess[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const found = await Promise.all(
    pids.map(async (pid) => {
      // We can't read the processes of other users, and they are not ours.
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

/** The main process of the server: the one that is not a child of another. */
export function mainProcess(processes: readonly StackProcess[], server: string): number | undefined {
  const ours = processes.filter((one) => one.server === server);
  return ours.find(({ parent }) => !ours.some(({ pid }) => pid === parent))?.pid;
}

/** The memory of a process and its descendants, in bytes. Shared memory is counted once. */
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
