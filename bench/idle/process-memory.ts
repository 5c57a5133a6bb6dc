import { readFile } from 'node:fs/promises';
import { childProcesses } from '../../src/engine/testing/child-processes.ts';

export interface ProcessMemory {
  pid: number;
  /** Its private memory, and its share of memory shared with others. */
  pssMb: number;
  /** Memory that no other process can share: not backed by a file. */
  anonymousMb: number;
  /** Pages of files, mostly of the Node binary, which all Node processes of the machine share. */
  fileMb: number;
}

/** Memory of a process and everything that it has started. */
export async function memoryOfTree(root: number): Promise<ProcessMemory[]> {
  const pids = [root];
  for (const pid of pids) pids.push(...childProcesses(pid));
  const all = await Promise.all(pids.map(memoryOf));
  return all.flatMap((one) => one ?? []);
}

/** Together; `alone` is what PSS would be if no other Node process ran on the machine. */
export function total(all: readonly ProcessMemory[]): { pssMb: number; aloneMb: number } {
  const sum = (pick: (one: ProcessMemory) => number) => all.reduce((before, one) => before + pick(one), 0);
  const files = Math.max(...all.map(({ fileMb }) => fileMb));
  return { pssMb: sum(({ pssMb }) => pssMb), aloneMb: sum(({ anonymousMb }) => anonymousMb) + files };
}

async function memoryOf(pid: number): Promise<ProcessMemory | undefined> {
  const text = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => undefined);
  // It has just ended.
  if (text === undefined) return undefined;
  const of = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text)?.[1] ?? 0) / 1024;
  const anonymousMb = of('Anonymous');
  return { pid, pssMb: of('Pss'), anonymousMb, fileMb: of('Rss') - anonymousMb };
}
