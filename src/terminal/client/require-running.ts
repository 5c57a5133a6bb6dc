import { PismakError } from '../../engine/ground/errors.ts';
import type { Clock } from '../../engine/time/clock.ts';
import { reachableHolder } from './reachable-holder.ts';

/**
 * Fails if no process runs that could do the work for which a command waits. Waiting for `pismak up` is impossible:
 * the command itself would hold the data directory.
 */
export async function requireRunning({
  remote,
  settings,
  clock,
  signal,
}: {
  /** True if the client acts on another machine. */
  remote: boolean;
  settings(): Promise<{ settings: { data: string } }>;
  clock: Clock;
  signal: AbortSignal;
}): Promise<void> {
  if (remote) return;
  const { data } = (await settings()).settings;
  if (await reachableHolder(data, clock, signal)) return;
  throw new PismakError('unavailable', `nothing runs on ${data}: start it with \`pismak up\``);
}
