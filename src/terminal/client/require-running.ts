import { PismakError } from '../../engine/errors.ts';
import type { Session } from '../session.ts';
import { reachableHolder } from './reachable-holder.ts';

/**
 * Refuses where a command would wait for work that nobody does. It can't just wait for `pismak up` either: acting in this
 * process it would itself keep the data directory.
 */
export async function requireRunning({ remote, settings, clock, signal }: Session): Promise<void> {
  if (remote) return;
  const { data } = (await settings()).settings;
  if (await reachableHolder(data, clock, signal)) return;
  throw new PismakError('unavailable', `nothing runs on ${data}: start it with \`pismak up\``);
}
