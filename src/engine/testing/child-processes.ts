import { readdirSync, readFileSync } from 'node:fs';

/** Ids of the living processes that `parent` has started. */
export function childProcesses(parent: number = process.pid): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      const [, state, parentId] = /\) (\S) (\d+) /.exec(statOf(name)) ?? [];
      return Number(parentId) === parent && state !== 'Z' ? [Number(name)] : [];
    });
}

export function isLiving(pid: number): boolean {
  const stat = statOf(String(pid));
  return stat !== '' && !stat.includes(') Z ');
}

/** Whether it is using a processor, or waits for one. */
export function isRunning(pid: number): boolean {
  return statOf(String(pid)).includes(') R ');
}

/** Processor time that it has used, in hundredths of a second. */
export function cpuTicks(pid: number): number {
  return ticks(pid, 2);
}

/** The same, with that of its children that have ended. */
export function cpuTicksWithEnded(pid: number): number {
  return ticks(pid, 4);
}

function ticks(pid: number, fields: number): number {
  const all = statOf(String(pid)).split(') ')[1]?.split(' ') ?? [];
  return all.slice(11, 11 + fields).reduce((sum, field) => sum + Number(field), 0);
}

function statOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    // It has just ended.
    return '';
  }
}
