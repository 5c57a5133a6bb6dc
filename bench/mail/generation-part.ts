import { campaignCreate, campaignStart } from '../../src/mail/operations/campaign.ts';
import { typeCreate } from '../../src/mail/operations/type.ts';
import { type HouseOptions, untilHeld } from './campaign-part.ts';
import { openHouse } from './house.ts';
import { audience, newsType } from './mails.ts';
import { RateWatch } from './rates.ts';
import { peakRssMb } from './usage.ts';

/** Only the making of mails, for many people: how fast, and whether memory stays flat. */
export async function generateMany(options: HouseOptions & { recipients: number }) {
  const { recipients } = options;
  const house = await openHouse({ mail: { relays: options.relays }, ...options.engine });
  try {
    const { client } = house;
    await client.call(typeCreate, newsType);
    const { hash } = await client.upload(audience(recipients));
    await client.call(campaignCreate, { name: 'all', type: 'news', audience: [`csv:${hash}`] });
    const watch = new RateWatch();
    watch.look(0);
    const rssMb: number[] = [];
    await client.call(campaignStart, { campaign: 'all', generateOnly: true });
    await untilHeld(client, (count) => {
      watch.look(count);
      if (count < (rssMb.length + 1) * (recipients / 10)) return;
      rssMb.push(Math.round(process.memoryUsage.rss() / 2 ** 20));
      console.log(`  ${count} mails made, ${rssMb.at(-1)} MB`);
    });
    return { recipients, generated: watch.rates(), rssMb, peakRssMb: peakRssMb() };
  } finally {
    await house.close();
  }
}
