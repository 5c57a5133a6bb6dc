import { createHash } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { z } from 'zod';
import { isLiving } from '../files/living-process.ts';

/** Identifies one process on one boot of one machine, because process ids are reused. */
export const processLife = z.object({
  /** Identifies this boot of the machine, and the container if there is one. */
  machine: z.string(),
  pid: z.int(),
  /** When the process started, in ticks since the boot. */
  started: z.string(),
});
export type ProcessLife = z.infer<typeof processLife>;

let own: ProcessLife | undefined | null = null;

/** Undefined where the system doesn't tell (only Linux does). */
export function ownLife(): ProcessLife | undefined {
  if (own === null) own = readOwn();
  return own;
}

/** Whether that process has ended; undefined if it can't be seen from here. */
export function hasEnded(life: ProcessLife | undefined): boolean | undefined {
  const here = ownLife();
  if (!life || !here || life.machine !== here.machine) return undefined;
  if (!isLiving(life.pid)) return true;
  const now = readStatus(life.pid);
  if (!now) return undefined;
  // Z and X: it was killed, and only its exit code is left.
  return now.started !== life.started || /[ZX]/.test(now.state);
}

function readOwn(): ProcessLife | undefined {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8');
    const space = readlinkSync('/proc/self/ns/pid');
    const machine = createHash('sha256').update(`${boot} ${space}`).digest('hex').slice(0, 32);
    const status = readStatus(process.pid);
    return status && { machine, pid: process.pid, started: status.started };
  } catch {
    return undefined;
  }
}

function readStatus(pid: number): { state: string; started: string } | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field is the program's name in parentheses, and may contain anything.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return { state: fields[0] ?? '', started: fields[19] ?? '' };
  } catch {
    return undefined;
  }
}
