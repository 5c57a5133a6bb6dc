import { z } from 'zod';
import { defineOperation } from '../../engine/operation/operation.ts';
import { page } from '../../engine/operation/operations/inputs.ts';
import { done } from '../../engine/operation/operations/rows.ts';
import { audienceSource, getCampaign, toCampaign } from '../campaigns/campaign.ts';
import { mailQueries, replyKinds } from '../database/tables.ts';
import { mailStates } from '../model/mail.ts';
import { typeCode } from '../model/mail-type.ts';
import {
  campaignRow,
  changing,
  countReplies,
  countStates,
  countVariants,
  oneCampaign,
  ownerOfCampaign,
  toCampaignRow,
  whichCampaign,
} from './campaign-rows.ts';

import { time } from './mail.ts';

const name = z
  .string()
  .regex(/^[\w. -]{1,100}$/, 'must be up to 100 letters, digits, dots, dashes or spaces');

const largestShare = 1_000_000;

export const campaignCreate = defineOperation({
  name: 'campaign.create',
  stores: true,
  summary: 'Create a campaign: a mail type and its audience. Nothing is sent before it is started',
  role: 'user',
  owner: 'caller',
  changes: true,
  input: z.strictObject({
    name: name.describe('Name of the campaign'),
    type: typeCode.describe('Mail type'),
    audience: z
      .array(
        z
          .string()
          .regex(
            /^((csv|ndjson):[0-9a-f]{64}|query:[a-z][a-z0-9-]{0,60})$/,
            'must be csv:SHA256 or ndjson:SHA256 of an upload, or query:NAME of the settings',
          ),
      )
      .min(1)
      .max(100)
      .describe(
        'Uploads, as csv:SHA256 (with a column `email`) or ndjson:SHA256, or query:NAME of the settings; people in several get one mail',
      ),
    variants: z
      .array(
        z
          .string()
          .regex(/^[a-z0-9][a-z0-9._-]{0,63}=\d+(\.\d+)?$/, 'must be TYPE=SHARE')
          .refine((text) => {
            const share = Number(text.split('=')[1]);
            return share > 0 && share <= largestShare;
          }, `must have a share above 0, at most ${largestShare}`),
      )
      .max(10)
      .default([])
      .describe('A/B: mail types and their shares instead of the type, e.g. news=1,news-b=1'),
    design: z.string().max(253).default('').describe('Design of the type to use, usually a domain'),
    after: z.string().max(100).default('').describe('Campaign that must end first'),
  }),
  output: campaignRow,
  example: { name: 'spring', type: 'news', audience: ['query:customers'] },
  async handler({ engine, caller }, input) {
    const { createCampaign } = await import('../campaigns/create-campaign.ts');
    const audience = input.audience.map((text) => {
      const [format, name] = text.split(':');
      return audienceSource.parse(format === 'query' ? { table: name } : { format, blob: name });
    });
    const variants = input.variants.map((text) => {
      const [type = '', share] = text.split('=');
      return { type, share: Number(share) };
    });
    return toCampaignRow(await createCampaign(engine, caller, { ...input, audience, variants }));
  },
});

export const campaignStart = defineOperation({
  ...changing,
  name: 'campaign.start',
  stores: true,
  summary: 'Start a campaign, or release one that was only generated',
  input: z.strictObject({
    campaign: whichCampaign,
    at: time.optional().describe('Send nothing before this time (ms since 1970)'),
    generateOnly: z.boolean().default(false).describe('Make all mails now; a second start sends them'),
  }),
  output: done,
  example: { campaign: 'spring' },
  async handler({ engine, caller }, { campaign: wanted, at, generateOnly }) {
    const { startCampaign } = await import('../campaigns/create-campaign.ts');
    await startCampaign(engine, await getCampaign(engine, wanted, caller.name), { at, generateOnly });
    return {};
  },
});

export const campaignShow = defineOperation({
  name: 'campaign.show',
  summary:
    'Show the progress of a campaign: its mails by state, those that may have been sent twice, and each variant',
  role: 'user',
  owner: ownerOfCampaign,
  heavy: 'read',
  changes: false,
  input: oneCampaign,
  output: z.strictObject({
    ...campaignRow.shape,
    mails: z.partialRecord(z.enum(mailStates), z.int()).describe('Mails by state'),
    mayBeTwice: z.int().describe('Mails that a dying sender had taken: they may have been sent twice'),
    unknown: z.int().describe('Attempts after which a relay may have had the mail without confirming it'),
    unsubscribed: z.int().describe('Unsubscriptions'),
    complained: z.int().describe('Complaints'),
    variants: z
      .record(z.string(), z.partialRecord(z.enum([...mailStates, ...replyKinds]), z.int()))
      .describe('Mails by state, unsubscriptions and complaints of each variant'),
    opensAt: z.number().nullable().describe('When its sending hours begin (ms since 1970); null: now'),
  }),
  example: { campaign: 'spring' },
  async handler({ engine, caller }, { campaign: wanted }) {
    const { opensAt } = await import('../campaigns/campaign-hours.ts');
    const campaign = await getCampaign(engine, wanted, caller.name);
    const { id } = campaign;
    const mails = await countStates(engine, id);
    const twice = await mailQueries(engine)
      .selectFrom('mail_mail')
      .select(({ fn }) => [
        fn.sum<number>('unknowns').as('unknown'),
        fn.sum<number>('takes').as('takes'),
        fn.sum<number>('attempts').as('attempts'),
      ])
      .where('campaign', '=', id)
      .executeTakeFirstOrThrow();
    const open = mails.sending ?? 0;
    const mayBeTwice = Math.max(0, Number(twice.takes ?? 0) - Number(twice.attempts ?? 0) - open);
    return {
      ...toCampaignRow(campaign),
      mails,
      mayBeTwice,
      unknown: Number(twice.unknown ?? 0),
      ...(await countReplies(engine, id)),
      variants: await countVariants(engine, campaign),
      opensAt: await opensAt(engine, campaign),
    };
  },
});

export const campaignList = defineOperation({
  name: 'campaign.ls',
  summary: 'List your campaigns, the newest first',
  role: 'user',
  owner: 'caller',
  changes: false,
  input: z.strictObject({ limit: page.limit.default(100) }),
  output: z.strictObject({ campaigns: z.array(campaignRow).describe('The newest first') }),
  example: {},
  async handler({ engine, caller }, { limit }) {
    const all = mailQueries(engine)
      .selectFrom('mail_campaign')
      .selectAll()
      .orderBy('id', 'desc')
      .limit(limit);
    const rows = await (caller.role === 'admin' ? all : all.where('owner', '=', caller.name)).execute();
    return { campaigns: rows.map((row) => toCampaignRow(toCampaign(row))) };
  },
});
