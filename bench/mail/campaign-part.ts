import { setTimeout as wait } from 'node:timers/promises';
import {
  campaignCreate,
  campaignList,
  campaignShow,
  campaignStart,
} from '../../src/mail/operations/campaign.ts';
import { typeCreate } from '../../src/mail/operations/type.ts';
import { openHouse } from './house.ts';
import { audience, newsType } from './mails.ts';

export interface CampaignFigures {
  mails: number;
  failed: number;
  generatedPerSecond: number;
  sentPerSecond: number;
  /** Of this process while it sent, in cores. */
  cpu: number;
  peakRssMb: number;
}

/** A campaign through the embedded queue: first generated, then sent. */
export async function sendCampaign(
  mails: number,
  relays: readonly { url: string; connections?: number }[],
  settings: Record<string, unknown> = {},
): Promise<CampaignFigures> {
  const house = await openHouse({ mail: { relays, ...settings } });
  let peakRssMb = 0;
  const watch = setInterval(() => {
    peakRssMb = Math.max(peakRssMb, process.memoryUsage.rss() / 2 ** 20);
  }, 100);
  const { client } = house;
  const until = async (isThere: (state: string) => boolean) => {
    for (;;) {
      // The list is cheap; the status counts every mail.
      const { campaigns } = await client.call(campaignList, {});
      if (isThere(campaigns[0]?.state ?? '')) return client.call(campaignShow, { campaign: 'all' });
      await wait(50);
    }
  };
  try {
    await client.call(typeCreate, newsType);
    const { hash } = await client.upload(audience(mails));
    await client.call(campaignCreate, { name: 'all', type: 'news', audience: [`csv:${hash}`] });
    const began = performance.now();
    await client.call(campaignStart, { campaign: 'all', generateOnly: true });
    await until((state) => state === 'held');
    const generated = performance.now();
    const cpu = process.cpuUsage();
    await client.call(campaignStart, { campaign: 'all' });
    const shown = await until((state) => state === 'done');
    const sent = performance.now();
    const used = process.cpuUsage(cpu);
    const { sent: accepted = 0, failed = 0 } = shown.mails;
    if (accepted + failed !== mails) throw new Error(`not all were sent: ${JSON.stringify(shown.mails)}`);
    return {
      mails,
      failed,
      generatedPerSecond: Math.round((mails / (generated - began)) * 1000),
      sentPerSecond: Math.round((mails / (sent - generated)) * 1000),
      cpu: Number(((used.user + used.system) / 1000 / (sent - generated)).toFixed(2)),
      peakRssMb: Math.round(peakRssMb),
    };
  } finally {
    clearInterval(watch);
    await house.close();
  }
}
