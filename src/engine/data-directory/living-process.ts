import { isSystemError } from '../files/system-error.ts';

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
