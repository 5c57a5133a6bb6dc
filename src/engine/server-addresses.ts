import { PismakError } from '../../errors.ts';
import { settingsSchema } from '../../settings/settings.ts';

/** The servers whose addresses are nodes in the tree, at `/servers/NAME`: workers follow them from there. */
export const serverNames = ['broker', 'coordination', 'database', 'blobs'] as const;
export type ServerName = (typeof serverNames)[number];

export const serversPath = '/servers';

/** Refuses what the settings would refuse. The URL itself is not repeated: it may hold a password. */
export function checkServerUrl(name: ServerName, url: string): void {
  const checked = settingsSchema.shape[name].safeParse(url);
  if (checked.success) return;
  const reason = checked.error.issues.map((issue) => issue.message).join('; ');
  throw new PismakError('invalid-input', `the address of the ${name} ${reason}`);
}
