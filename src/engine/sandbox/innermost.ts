import { readFileSync } from 'node:fs';
import { constants } from 'node:os';

/** Programs that confine another one and wait for its end. */
const outer = new Set(['bwrap', 'unshare', 'sh']);

/** The last of a chain of processes: Node itself, behind the programs that confine it. */
export function innermost(pid: number | undefined): number | undefined {
  try {
    for (let found = pid; ; ) {
      if (!outer.has(readFileSync(`/proc/${found}/comm`, 'utf8').trim())) return found;
      const children = readFileSync(`/proc/${found}/task/${found}/children`, 'utf8');
      const [child] = children.split(' ').filter(Boolean);
      if (child === undefined) return found;
      found = Number(child);
    }
  } catch {
    return pid;
  }
}

/** The signal that ended a process: programs that confine another one report it as 128 and its number. */
export function signalOf(code: number | null, signal: string | null): string | undefined {
  if (signal !== null) return signal;
  return Object.entries(constants.signals).find(([, number]) => code === 128 + number)?.[0];
}
