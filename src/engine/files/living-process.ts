import { readlinkSync } from 'node:fs';
import { isSystemError } from './system-error.ts';

/**
 * Process ids are meaningful only within one namespace: a process in a sandbox or container doesn't see the others, and would take
 * them for dead. Names with a process id also contain this. Empty on systems without namespaces.
 */
export const pidSpace = readPidSpace();

function readPidSpace(): string {
  try {
    return /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0] ?? '';
  } catch {
    return '';
  }
}

/** Whether a process with this id is alive on this machine (as far as we can see). */
export function isLiving(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // It is alive and belongs to another user.
    return isSystemError(error, 'EPERM');
  }
}
