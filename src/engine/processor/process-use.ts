import { readFile } from 'node:fs/promises';

export interface ProcessUse {
  /** Processor time of all its threads so far. */
  cpuSeconds: number;
  residentMb: number;
}

/** The kernel counts processor time for programs in hundredths of a second. */
const ticksPerSecond = 100;
const pagesPerMb = 1024 / 4;

/** What a process has used; zeros where the system doesn't say (not Linux), or when it has just ended. */
export async function processUse(pid: number | undefined): Promise<ProcessUse> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'latin1');
    // Its name is in parentheses and may contain anything. The first field after it is the third of all.
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
