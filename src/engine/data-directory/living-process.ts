import { isSystemError } from '../files/system-error.ts';

/** Whether a process with this id lives on this machine (as far as we can see it). */
export function isLiving(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // It lives, and belongs to somebody else.
    return isSystemError(error, 'EPERM');
  }
}
