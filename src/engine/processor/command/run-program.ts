import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { giveWay } from '../../process/give-way.ts';
import { boundedLines } from './bounded-lines.ts';

export interface ProgramRun {
  /** A program and its parameters. */
  command: readonly string[];
  directory: string;
  environment: Readonly<Record<string, string>>;
  signal: AbortSignal;
  onLine(line: string): void;
}

/**
 * Kills the group when the pipe on descriptor 3 closes, which happens when our process ends for any reason.
 * Everything that the program starts belongs to the group.
 */
const guard = '{ cat <&3; kill -KILL 0; } >/dev/null 2>&1 & exec "$@" 3<&-';

/** Runs a program in its own process group. When it ends, or is stopped, the whole group ends. */
export async function runProgram(run: ProgramRun): Promise<{ code: number | null; killedBy: string | null }> {
  run.signal.throwIfAborted();
  const child = spawn('/bin/sh', ['-c', guard, 'sh', ...run.command], {
    cwd: run.directory,
    env: run.environment,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  });
  giveWay(child.pid);
  const killGroup = () => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    } catch {
      // The group is already empty.
    }
  };
  // Children that keep its output open would block us for ever.
  child.once('exit', killGroup);
  run.signal.addEventListener('abort', killGroup, { once: true });
  try {
    const [[code, killedBy]] = await Promise.all([
      once(child, 'close'),
      passOn(child.stdout, run.onLine),
      passOn(child.stderr, run.onLine),
    ]);
    run.signal.throwIfAborted();
    return { code, killedBy };
  } finally {
    run.signal.removeEventListener('abort', killGroup);
    killGroup();
  }
}

async function passOn(stream: import('node:stream').Readable | null, onLine: (line: string) => void) {
  if (!stream) return;
  for await (const line of boundedLines(stream)) onLine(line);
}
