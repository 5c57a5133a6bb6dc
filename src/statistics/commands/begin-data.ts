import { existsSync } from 'node:fs';
import { makePrivate } from '../../engine/data-directory/private-directory.ts';
import type { Client } from '../../terminal/client/client.ts';
import type { Session } from '../../terminal/session.ts';

/** The client of a command that may be the first one ever: without a data directory it makes one. */
export async function beginningClient(
  session: Pick<Session, 'client' | 'remote' | 'settings'>,
): Promise<Client> {
  if (!session.remote) {
    const { settings } = await session.settings();
    if (!existsSync(settings.data)) await makePrivate(settings.data);
  }
  return session.client();
}
