import { existsSync } from 'node:fs';
import { type Clock, sleep } from '../engine/clock.ts';
import { type Holder, readHolder } from '../engine/data-directory/data-directory.ts';
import { PismakError } from '../engine/errors.ts';
import type { LoadedSettings } from '../engine/settings/load.ts';
import type { Client, Destination } from './client.ts';
import { openHttpClient } from './http-client.ts';

/** How long a process that has the directory may take until it can be talked to: it is just starting. */
const startingMs = 10_000;

export async function openClient(options: {
  destination: Destination;
  settings: () => Promise<LoadedSettings>;
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
  // Loaded only when it is needed: the whole engine takes longer than most commands.
  const { openEngineClient } = await import('./engine-client.ts');
  return openEngineClient(loaded, signal);
}

/** The process that has the directory, once it can be talked to; undefined when nobody has it (any more). */
export async function reachableHolder(
  data: string,
  clock: Clock,
  signal: AbortSignal,
): Promise<Holder | undefined> {
  const deadline = clock.now() + startingMs;
  for (;;) {
    const holder = await readHolder(data);
    if (!holder || holder.url !== undefined) return holder;
    if (clock.now() >= deadline) {
      throw new PismakError(
        'data-directory-in-use',
        `${data} is in use by process ${holder.pid} (${holder.purpose}), which can't be talked to: wait for it, or stop it`,
      );
    }
    await sleep(clock, 100, signal);
    signal.throwIfAborted();
  }
}
