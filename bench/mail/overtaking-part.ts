import { setTimeout as wait } from 'node:timers/promises';
import { campaignCreate, campaignShow, campaignStart } from '../../src/mail/operations/campaign.ts';
import { mailSend, mailShow } from '../../src/mail/operations/mail.ts';
import { typeCreate } from '../../src/mail/operations/type.ts';
import { openHouse } from './house.ts';
import { audience, newsType, orderType } from './mails.ts';

/** Order confirmations while a campaign is sent at full speed: how long each took until the relay had it. */
export async function overtake(newsletters: number, orders: number, url: string) {
  const house = await openHouse({ mail: { relays: [{ url }] } });
  const { client } = house;
  try {
    await client.call(typeCreate, newsType);
    await client.call(typeCreate, orderType);
    const { hash } = await client.upload(audience(newsletters));
    await client.call(campaignCreate, { name: 'all', type: 'news', audience: [`csv:${hash}`] });
    await client.call(campaignStart, { campaign: 'all', generateOnly: true });
    while ((await client.call(campaignShow, { campaign: 'all' })).state !== 'held') await wait(100);
    await client.call(campaignStart, { campaign: 'all' });
    while (!((await client.call(campaignShow, { campaign: 'all' })).mails.sent ?? 0)) await wait(50);
    const times: number[] = [];
    for (let number = 0; number < orders; number++) {
      const { id } = await client.call(mailSend, {
        type: 'order',
        to: `order${number}@example.org`,
        data: { name: 'Anna', price: 7 },
      });
      for (;;) {
        const { state, sentAt, createdAt } = await client.call(mailShow, { mail: id });
        if (state === 'sent') {
          times.push((sentAt ?? 0) - createdAt);
          break;
        }
        await wait(20);
      }
      await wait(50);
    }
    const { mails } = await client.call(campaignShow, { campaign: 'all' });
    times.sort((a, b) => a - b);
    const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0;
    return {
      newsletters,
      stillWaiting: mails.waiting ?? 0,
      orders,
      medianMs: at(0.5),
      p99Ms: at(0.99),
      worstMs: times.at(-1) ?? 0,
    };
  } finally {
    await house.close();
  }
}
