import { setTimeout as wait } from 'node:timers/promises';
import {
  campaignCreate,
  campaignList,
  campaignShow,
  campaignStart,
} from '../../src/mail/operations/campaign.ts';
import { relayList } from '../../src/mail/operations/relay.ts';
import { typeCreate } from '../../src/mail/operations/type.ts';
import { openHouse } from './house.ts';
import { audience, newsType } from './mails.ts';
import { type Rates, RateWatch } from './rates.ts';
import { countSql } from './sql-counter.ts';
import { type Cost, costSince, costsNow } from './usage.ts';

export interface HouseOptions {
  relays: readonly { url: string; connections?: number }[];
  /** More settings of the house. */
  mail?: Record<string, unknown>;
  /** Other queues and databases than the embedded ones. */
  engine?: Record<string, unknown>;
  /** Process ids of servers, whose CPU and disk count too. */
  servers?: readonly number[];
}

export interface CampaignOptions extends HouseOptions {
  mails: number;
  /** First generated, then sent; or both at once. */
  separated: boolean;
}

export interface CampaignFigures extends Cost {
  mails: number;
  failed: number;
  generated: Rates;
  sent: Rates;
}

type Client = Awaited<ReturnType<typeof openHouse>>['client'];

/** A campaign by id: the queue carries ids, and the database has the mails. */
export async function sendCampaign(options: CampaignOptions): Promise<CampaignFigures> {
  const { mails, relays, servers = [], separated } = options;
  const sql = await countSql(options.engine !== undefined);
  const house = await openHouse({ mail: { relays, ...options.mail }, ...options.engine });
  const { client } = house;
  const generated = new RateWatch();
  const sent = new RateWatch();
  try {
    await client.call(typeCreate, newsType);
    const { hash } = await client.upload(audience(mails));
    await client.call(campaignCreate, { name: 'all', type: 'news', audience: [`csv:${hash}`] });
    generated.look(0);
    if (separated) {
      await client.call(campaignStart, { campaign: 'all', generateOnly: true });
      await untilHeld(client, (count) => generated.look(count));
    }
    const before = costsNow(servers, sql());
    sent.look(0);
    await client.call(campaignStart, { campaign: 'all' });
    for (let ended = 0; ended < mails; ) {
      if (!separated) generated.look(await countGenerated(client));
      ended = await countEnded(client);
      sent.look(ended);
      await wait(50);
    }
    const cost = costSince(before, servers, sql());
    const shown = await untilDone(client);
    const { sent: accepted = 0, failed = 0 } = shown.mails;
    if (accepted + failed !== mails) throw new Error(`not all were sent: ${JSON.stringify(shown.mails)}`);
    return { mails, failed, generated: generated.rates(), sent: sent.rates(), ...cost };
  } finally {
    await house.close();
  }
}

/** Calls `look` until all mails are made. The list is cheap; the status counts every mail. */
export async function untilHeld(client: Client, look: (generated: number) => void): Promise<void> {
  for (;;) {
    const { campaigns } = await client.call(campaignList, {});
    const [campaign] = campaigns;
    if (!campaign) throw new Error('there is no campaign');
    look(campaign.generated);
    if (campaign.state === 'held') return;
    if (campaign.state !== 'running')
      throw new Error(`the campaign is ${campaign.state}: ${campaign.problem}`);
    await wait(100);
  }
}

async function countGenerated(client: Client): Promise<number> {
  const { campaigns } = await client.call(campaignList, {});
  return campaigns[0]?.generated ?? 0;
}

/** As the relays have answered. */
export async function countEnded(client: Client): Promise<number> {
  const { relays } = await client.call(relayList, {});
  return relays.reduce((sum, { sent, failed, unknown }) => sum + sent + failed + unknown, 0);
}

async function untilDone(client: Client) {
  for (;;) {
    const shown = await client.call(campaignShow, { campaign: 'all' });
    if (shown.state === 'done') return shown;
    await wait(200);
  }
}
