import { spawn } from 'node:child_process';
import { PismakError } from '../../engine/ground/errors.ts';
import { type Clock, sleep } from '../../engine/time/clock.ts';
import type { Session } from '../../terminal/session.ts';

/** The exit code of a process that ended because of its memory (EX_TEMPFAIL). */
export const replaceMe = 75;
const mark = 'REPLACEABLE_SENDER';
const lookMs = 1000;

/** Whether this process was started by `keepSending`. */
export function isReplaceable(): boolean {
  return process.env[mark] === '1';
}

/** Runs this command in a process of its own, and again each time that process ends because of its memory. */
export async function keepSending({ out, signal }: Session): Promise<void> {
  while (!signal.aborted) {
    const child = spawn(process.execPath, [...process.execArgv, ...process.argv.slice(1)], {
      stdio: 'inherit',
      env: { ...process.env, [mark]: '1' },
    });
    const stop = () => child.kill('SIGTERM');
    signal.addEventListener('abort', stop, { once: true });
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', resolve);
    });
    signal.removeEventListener('abort', stop);
    if (signal.aborted) return;
    if (code !== replaceMe)
      throw new PismakError('unavailable', `the sending process ended with exit code ${code}`);
    out.say('the sending process needed too much memory; another one goes on');
  }
}

/** Resolves when the user ends the command, or when this process exceeds its memory limit. */
export async function endOf(
  signal: AbortSignal,
  clock: Clock,
  memoryMb = Number.POSITIVE_INFINITY,
): Promise<'stopped' | 'memory'> {
  while (!signal.aborted) {
    if (process.memoryUsage.rss() > memoryMb * 2 ** 20) return 'memory';
    await sleep(clock, lookMs, signal);
  }
  return 'stopped';
}
