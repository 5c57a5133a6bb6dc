import { existsSync } from 'node:fs';
import { makePrivate } from '../../engine/data-directory/private-directory.ts';
import type { Client } from '../../terminal/client/client.ts';
import type { Session } from '../../terminal/session.ts';

/** The client for a command that may be the first one ever: creates the data directory if it is missing. */
export async function beginningClient(
  session: Pick<Session, 'client' | 'remote' | 'settings'>,
): Promise<Client> {
  if (!session.remote) {
    const { settings } = await session.settings();
    if (!existsSync(settings.data)) await makePrivate(settings.data);
  }
  return session.client();
}
