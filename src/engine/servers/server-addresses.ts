import type { Coordination, Unwatch } from '../coordination/coordination.ts';
import { hasCode, PismakError } from '../ground/errors.ts';
import { type Settings, settingsSchema } from '../settings/settings.ts';

/** The servers whose addresses are nodes in the tree, at `/servers/NAME`: workers follow them from there. */
export const serverNames = ['broker', 'coordination', 'database', 'blobs'] as const;
export type ServerName = (typeof serverNames)[number];

export const serversPath = '/servers';

/** The addresses that a worker needs besides its coordination URL. */
export type ServerAddresses = Pick<Settings, 'broker' | 'database' | 'blobs'>;

/** Refuses what the settings would refuse. Never repeats the URL, because it may contain a password. */
export function checkServerUrl(name: ServerName, url: string): void {
  const checked = settingsSchema.shape[name].safeParse(url);
  if (checked.success) return;
  const reason = checked.error.issues.map((issue) => issue.message).join('; ');
  throw new PismakError('invalid-input', `the address of the ${name} ${reason}`);
}

/** Tells workers the addresses of the servers. Keeps addresses that an administrator has set. */
export async function announceServers(coordination: Coordination, settings: Settings): Promise<void> {
  for (const name of serverNames) {
    try {
      await coordination.create(`${serversPath}/${name}`, settings[name]);
    } catch (error) {
      if (!hasCode(error, 'node-exists')) throw error;
    }
  }
}

/** The addresses now and after every change; undefined while one of them is missing. */
export function watchServers(
  coordination: Coordination,
  listener: (addresses: ServerAddresses | undefined) => void,
): Unwatch {
  return coordination.watchChildren(serversPath, (nodes) => {
    const { broker, database, blobs } = Object.fromEntries(nodes.map((node) => [node.name, node.value]));
    listener(broker && database && blobs ? { broker, database, blobs } : undefined);
  });
}
