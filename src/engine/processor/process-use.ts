import { readFile } from 'node:fs/promises';

export interface ProcessUse {
  /** CPU time of all its threads so far. */
  cpuSeconds: number;
  residentMb: number;
}

/** The kernel counts CPU time for programs in hundredths of a second. */
const ticksPerSecond = 100;
const pagesPerMb = 1024 / 4;

/** The CPU time and memory of a process; zeros where the system doesn't tell (not Linux), or when it has just ended. */
export async function processUse(pid: number | undefined): Promise<ProcessUse> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'latin1');
    // The name is in parentheses and may contain anything. The first field after it is field 3.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const number = (field: number) => Number(fields[field - 3]);
    return {
      cpuSeconds: (number(14) + number(15)) / ticksPerSecond,
      residentMb: number(24) / pagesPerMb,
    };
  } catch {
    return { cpuSeconds: 0, residentMb: 0 };
  }
}
