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
  const fields = statOf(String(pid)).split(') ')[1]?.split(' ') ?? [];
  return Number(fields[11] ?? 0) + Number(fields[12] ?? 0);
}

function statOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    // It has just ended.
    return '';
  }
}
