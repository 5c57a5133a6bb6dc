import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { campaignCreate, campaignStart } from '../../src/mail/operations/campaign.ts';
import { mailSend, mailShow } from '../../src/mail/operations/mail.ts';
import { typeCreate } from '../../src/mail/operations/type.ts';
import { countEnded, type HouseOptions, untilHeld } from './campaign-part.ts';
import { openHouse } from './house.ts';
import { audience, newsType, orderType } from './mails.ts';
import { publishMails } from './whole-part.ts';

export interface OvertakingOptions extends HouseOptions {
  newsletters: number;
  orders: number;
  /** With a queue on a server: the newsletters lie in it as whole mails. Without: in the backlog. */
  broker?: string;
}

/** Order confirmations while newsletters are sent at full speed: how long each took until the relay had it. */
export async function overtake(options: OvertakingOptions) {
  const { newsletters, orders, relays, broker } = options;
  const data = await mkdtemp(join(tmpdir(), 'pismak-bench-orders-'));
  const settings = { data, ...options.engine, ...(broker !== undefined && { broker }) };
  const say = (text: string) => console.log(`  ${text}`);
  // Without relays there are no senders, but queues.
  const first = await openHouse({ ...settings, mail: {} });
  try {
    for (const type of [newsType, orderType]) await first.client.call(typeCreate, type);
    if (broker === undefined) {
      const { hash } = await first.client.upload(audience(newsletters));
      await first.client.call(campaignCreate, { name: 'all', type: 'news', audience: [`csv:${hash}`] });
      await first.client.call(campaignStart, { campaign: 'all', generateOnly: true });
      await untilHeld(first.client, progress(newsletters, say));
    } else await publishMails(newsletters, broker, progress(newsletters, say));
  } finally {
    await first.close();
  }
  const house = await openHouse({ ...settings, mail: { relays, ...options.mail } });
  try {
    const { client } = house;
    if (broker === undefined) await client.call(campaignStart, { campaign: 'all' });
    while ((await countEnded(client)) === 0) await wait(20);
    const times: number[] = [];
    for (let number = 0; number < orders; number++) {
      times.push(await sendOrder(client, number));
      await wait(50);
    }
    const stillWaiting = newsletters + orders - (await countEnded(client));
    times.sort((a, b) => a - b);
    const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0;
    return {
      newsletters,
      stillWaiting,
      orders,
      medianMs: at(0.5),
      p99Ms: at(0.99),
      worstMs: times.at(-1) ?? 0,
    };
  } finally {
    await house.close();
    await rm(data, { recursive: true, force: true });
  }
}

/** Resolves to the milliseconds until a relay had it. */
async function sendOrder(
  client: Awaited<ReturnType<typeof openHouse>>['client'],
  number: number,
): Promise<number> {
  const { id } = await client.call(mailSend, {
    type: 'order',
    to: `order${number}@example.org`,
    data: { name: 'Anna', price: 7 },
  });
  for (;;) {
    const { state, sentAt, createdAt } = await client.call(mailShow, { mail: id });
    if (state === 'sent') return (sentAt ?? 0) - createdAt;
    if (state === 'failed' || state === 'expired') throw new Error(`the order is ${state}`);
    await wait(20);
  }
}

function progress(all: number, say: (text: string) => void): (count: number) => void {
  let told = 0;
  return (count) => {
    if (count < told + all / 5) return;
    told = count;
    say(`${count} newsletters are ready`);
  };
}
