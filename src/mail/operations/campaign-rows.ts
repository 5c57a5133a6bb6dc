import { z } from 'zod';
import type { OperationContext } from '../../engine/operation/operation.ts';
import { type Campaign, campaignStates, findCampaign } from '../campaigns/campaign.ts';
import { mailQueries } from '../database/tables.ts';
import type { mailStates } from '../model/mail.ts';

/** Input and output shared by the operations on campaigns. */

export const whichCampaign = z.string().min(1).max(100).describe('Name or id of the campaign');
export const oneCampaign = z.strictObject({ campaign: whichCampaign });
export const changing = { role: 'user', owner: ownerOfCampaign, changes: true } as const;

export const campaignRow = z.strictObject({
  id: z.string().describe('Its id'),
  name: z.string().describe('Its name'),
  owner: z.string().describe('Who created it'),
  type: z.string().describe('Mail type'),
  state: z.enum(campaignStates).describe('Its state'),
  read: z.int().describe('People read from the audience: `generated`, `repeated` and `refused` together'),
  generated: z.int().describe('People for whom a mail was made'),
  repeated: z.int().describe('People whose address was there already'),
  refused: z.int().describe('People without a valid address'),
  problem: z.string().describe('Why it does not go on; empty if nothing is wrong'),
  createdAt: z.number().describe('ms since 1970'),
  startedAt: z.number().nullable().describe('ms since 1970; null: not started'),
  startAt: z.number().nullable().describe('Nothing is sent before this time (ms since 1970); null: no limit'),
  endedAt: z.number().nullable().describe('ms since 1970; null: not ended'),
});

export async function ownerOfCampaign(
  { engine, caller }: OperationContext,
  { campaign }: { campaign: string },
): Promise<string | undefined> {
  return (await findCampaign(engine, campaign, caller.name))?.owner;
}

export async function countStates(engine: OperationContext['engine'], campaign: string) {
  const rows = await mailQueries(engine)
    .selectFrom('mail_mail')
    .select(({ fn }) => ['state', fn.countAll().as('count')])
    .where('campaign', '=', campaign)
    .groupBy('state')
    .execute();
  return Object.fromEntries(rows.map(({ state, count }) => [state, Number(count)])) as Partial<
    Record<(typeof mailStates)[number], number>
  >;
}

/** Unsubscriptions and complaints, by kind. */
export async function countReplies(engine: OperationContext['engine'], campaign: string) {
  const rows = await repliesTo(engine, campaign);
  const counts = { unsubscribed: 0, complained: 0 };
  for (const { kind, count } of rows) counts[kind] += Number(count);
  return counts;
}

function repliesTo(engine: OperationContext['engine'], campaign: string) {
  return mailQueries(engine)
    .selectFrom('mail_reply')
    .select(({ fn }) => ['variant', 'kind', fn.countAll().as('count')])
    .where('campaign', '=', campaign)
    .groupBy(['variant', 'kind'])
    .execute();
}

export async function countVariants(engine: OperationContext['engine'], { id, variants }: Campaign) {
  if (variants.length === 0) return {};
  const rows = await mailQueries(engine)
    .selectFrom('mail_mail')
    .select(({ fn }) => ['variant', 'state', fn.countAll().as('count')])
    .where('campaign', '=', id)
    .groupBy(['variant', 'state'])
    .execute();
  const counts: Record<string, Record<string, number>> = {};
  for (const { variant, state, count } of rows)
    counts[variant] = { ...counts[variant], [state]: Number(count) };
  for (const { variant, kind, count } of await repliesTo(engine, id))
    counts[variant] = { ...counts[variant], [kind]: Number(count) };
  return counts;
}

const rowOfCampaign = campaignRow.strip();

/** A campaign without its audience and content. */
export function toCampaignRow(campaign: Campaign): z.output<typeof campaignRow> {
  return rowOfCampaign.parse({ ...campaign, startAt: campaign.startAt === 0 ? null : campaign.startAt });
}
