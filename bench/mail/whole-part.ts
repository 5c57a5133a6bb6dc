import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { queueList } from '../../src/engine/operation/operations/queue.ts';
import { typeCreate } from '../../src/mail/operations/type.ts';
import { memoryStore } from '../../src/mail/senders/mail-store.ts';
import { openQueueSender } from '../../src/mail/senders/senders.ts';
import { countEnded, type HouseOptions } from './campaign-part.ts';
import { openHouse } from './house.ts';
import { newsType } from './mails.ts';
import { type Rates, RateWatch } from './rates.ts';
import { countSql } from './sql-counter.ts';
import { type Cost, costSince, costsNow } from './usage.ts';

export interface WholeOptions extends HouseOptions {
  mails: number;
  /** Of the queue, on a server. */
  broker: string;
  separated: boolean;
}

export interface WholeFigures extends Cost {
  mails: number;
  generated: Rates;
  sent: Rates;
  /** Until every result was in the database, too. */
  recordedPerSecond: number;
}

const atOnce = 500;

/** Whole mails: a program of its own puts them into the queue, and the mail server sends them without asking its database. */
export async function sendWhole(options: WholeOptions): Promise<WholeFigures> {
  const { mails, relays, servers = [], broker, separated } = options;
  const data = await mkdtemp(join(tmpdir(), 'pismak-bench-whole-'));
  const settings = { data, ...options.engine, broker };
  const sql = await countSql(true);
  const generated = new RateWatch();
  const sent = new RateWatch();
  const publish = () => publishMails(mails, broker, (count) => generated.look(count), options.mail);
  // Without relays there are no senders, but queues.
  const first = await openHouse({ ...settings, mail: {} });
  await first.client.call(typeCreate, newsType);
  generated.look(0);
  if (separated) await publish();
  await first.close();
  const house = await openHouse({ ...settings, mail: { relays, ...options.mail } });
  try {
    const { client } = house;
    const before = costsNow(servers, sql());
    sent.look(0);
    const publishing = separated ? Promise.resolve() : publish();
    for (let ended = 0; ended < mails; ) {
      await wait(50);
      ended = await countEnded(client);
      sent.look(ended);
    }
    await publishing;
    const cost = costSince(before, servers, sql());
    for (let left = 1; left > 0; await wait(50)) {
      const { queues } = await client.call(queueList, {});
      const ours = queues.filter(({ name }) => name === 'mail.bulk' || name === 'mail.record');
      left = ours.reduce((sum, { ready, inFlight }) => sum + ready.high + ready.normal + inFlight, 0);
    }
    const recordedPerSecond = Math.round((mails / (performance.now() - before.at)) * 1000);
    return { mails, generated: generated.rates(), sent: sent.rates(), recordedPerSecond, ...cost };
  } finally {
    await house.close();
    await rm(data, { recursive: true, force: true });
  }
}

/** Puts whole mails into the queue of their class, as an application would. */
export async function publishMails(
  mails: number,
  broker: string,
  look: (published: number) => void,
  mail: Record<string, unknown> = {},
): Promise<void> {
  const sender = await openQueueSender({ url: broker, store: memoryStore([newsType]), mail });
  let begun = 0;
  let done = 0;
  try {
    await Promise.all(
      Array.from({ length: atOnce }, async () => {
        while (begun < mails) {
          const index = begun++;
          await sender.send({
            type: 'news',
            to: `ctenar${index}@example${index % 20}.org`,
            data: { name: `Žofie Čtenářová ${index}`, price: 100 + (index % 900) },
          });
          if (++done % 100 === 0 || done === mails) look(done);
        }
      }),
    );
  } finally {
    await sender.close();
  }
}
