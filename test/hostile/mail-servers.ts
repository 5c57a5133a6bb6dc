import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openSink } from '../../src/mail/sink/sink.ts';
import type { RunningPismak } from '../running-pismak.ts';

export interface MailServers {
  /** Settings that name both. */
  configuration: string;
  /** Creates the types of mails that the honest user and the attackers send. */
  createTypes(up: Pick<RunningPismak, 'call'>): Promise<void>;
  /** Resolves when the good relay has a mail to this address. */
  arrival(address: string): Promise<void>;
  close(): Promise<void>;
}

/** A good relay for transactional mails; those of others go to the hostile one at `hostilePort`. */
export async function openMailServers(directory: string, hostilePort: number): Promise<MailServers> {
  const awaited = new Map<string, () => void>();
  const good = await openSink({
    onMail: ({ to }) => {
      for (const address of to) awaited.get(address)?.();
    },
  });
  const configuration = join(directory, 'hostile.toml');
  const relay = (port: number, name: string) =>
    `[[mail.relays]]\nurl = "smtp://127.0.0.1:${port}"\nclasses = ["${name}"]\n`;
  await writeFile(configuration, relay(good.port, 'transactional') + relay(hostilePort, 'bulk'));
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
    close: () => good.close(),
  };
}
