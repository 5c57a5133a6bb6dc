import { existsSync } from 'node:fs';
import { PismakError } from '../../engine/ground/errors.ts';
import type { House } from '../../engine/house.ts';
import type { LoadedSettings } from '../../engine/settings/load.ts';
import type { Clock } from '../../engine/time/clock.ts';
import type { Client, Destination } from '../../terminal/client/client.ts';
import { reachableHolder } from '../../terminal/client/reachable-holder.ts';
import { openHttpClient } from './http-client.ts';

export async function openClient(options: {
  destination: Destination;
  settings: () => Promise<LoadedSettings>;
  houses: readonly House[];
  clock: Clock;
  signal: AbortSignal;
}): Promise<Client> {
  const { destination, clock, signal } = options;
  if (destination.url !== undefined)
    return openHttpClient({ url: destination.url, token: destination.key, clock, interruption: signal });
  const loaded = await options.settings();
  const { settings } = loaded;
  const holder = await reachableHolder(settings.data, clock, signal);
  if (holder?.url !== undefined)
    return openHttpClient({ url: holder.url, token: holder.token, clock, interruption: signal });
  if (!existsSync(settings.data)) {
    throw new PismakError(
      'not-found',
      `there is no data directory ${settings.data}: start with \`pismak up\`, or name another with --data`,
    );
  }
  // Loaded only when needed: loading the whole engine takes longer than most commands.
  const { openEngineClient } = await import('./engine-client.ts');
  return openEngineClient(loaded, options.houses, signal);
}
