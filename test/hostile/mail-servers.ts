import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openSink } from '../../src/mail/sink/sink.ts';
import { openHostileRelay } from '../../src/mail/testing/hostile-relay.ts';
import type { RunningPismak } from '../running-pismak.ts';

export interface MailServers {
  /** Settings that name both. */
  configuration: string;
  /** Creates the types of mails that the honest user and the attackers send. */
  createTypes(up: Pick<RunningPismak, 'call'>): Promise<void>;
  /** Resolves when the good relay has a mail to this address. */
  arrival(address: string): Promise<void>;
  readonly hostileConnections: number;
  close(): Promise<void>;
}

/** A good relay for transactional mails, and a hostile one for the others. */
export async function openMailServers(directory: string): Promise<MailServers> {
  const awaited = new Map<string, () => void>();
  const good = await openSink({
    onMail: ({ to }) => {
      for (const address of to) awaited.get(address)?.();
    },
  });
  const hostile = await openHostileRelay();
  const configuration = join(directory, 'hostile.toml');
  const relay = (port: number, name: string) =>
    `[[mail.relays]]\nurl = "smtp://127.0.0.1:${port}"\nclasses = ["${name}"]\n`;
  await writeFile(configuration, relay(good.port, 'transactional') + relay(hostile.port, 'bulk'));
  return {
    configuration,
    async createTypes(up) {
      const type = {
        sender: 'Shop <shop@example.org>',
        subject: 'Order {{ number }}',
        template:
          '<p>{{ name }}</p>{% for a in items %}{% for b in items %}{% if a == b %}<p>{{ a }}</p>{% endif %}{% endfor %}{% endfor %}',
      };
      await up.call('mailtype.create', { ...type, code: 'order' });
      await up.call('mailtype.create', { ...type, code: 'news', class: 'bulk' });
    },
    arrival(address) {
      const { promise, resolve } = Promise.withResolvers<void>();
      awaited.set(address, () => {
        awaited.delete(address);
        resolve();
      });
      return promise;
    },
    get hostileConnections() {
      return hostile.connections;
    },
    async close() {
      await Promise.all([good.close(), hostile.close()]);
    },
  };
}
