import { writeFileSync } from 'node:fs';
import { constants, setPriority } from 'node:os';

const below = constants.priority.PRIORITY_BELOW_NORMAL;
/** For work that somebody waits for: it comes before other work that gives way. */
export const awaited = below / 2;
const tries = 5;
const againMs = 150;

/**
 * Lets a process that leads its own session run below normal priority: API calls and queues come first when all cores
 * are busy; otherwise it makes no difference. Programs that it starts inherit the priority.
 */
export function giveWay(pid: number | undefined, priority = below): void {
  if (pid === undefined) return;
  try {
    setPriority(pid, priority);
    giveWayAsGroup(pid, priority, tries);
  } catch {
    // It has ended already.
  }
}

/**
 * Lets the calling thread run below normal priority, and the threads and programs that it starts. For worker threads that work long on
 * what users or strangers wrote: otherwise each takes as much of the processor as the main thread, which answers everybody.
 */
export function giveWayAsThread(): void {
  // Linux sets the priority of the thread; other systems would set that of the process.
  if (process.platform === 'linux') setPriority(below);
}

/**
 * Where Linux groups processes by session, priorities count only within a group: each session would get as much of a core
 * as we do.
 */
function giveWayAsGroup(pid: number, priority: number, left: number): void {
  try {
    writeFileSync(`/proc/${pid}/autogroup`, String(priority));
  } catch (error) {
    // Unless we are root, the system allows one change per 100 ms for all processes together.
    const busy = error instanceof Error && 'code' in error && error.code === 'EAGAIN';
    if (busy && left > 1) setTimeout(giveWayAsGroup, againMs, pid, priority, left - 1).unref();
    // Other systems, and Linux without such groups, have no such file.
  }
}
