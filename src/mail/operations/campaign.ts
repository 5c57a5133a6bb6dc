import { z } from 'zod';
import { PismakError } from '../../engine/errors.ts';
import { defineOperation, type OperationContext } from '../../engine/operation/operation.ts';
import { page } from '../../engine/operation/operations/inputs.ts';
import { done } from '../../engine/operation/operations/rows.ts';
import {
  audienceSource,
  type Campaign,
  campaignStates,
  findCampaign,
  getCampaign,
  setCampaignState,
  toCampaign,
} from '../campaigns/campaign.ts';
import { mailQueries } from '../database/tables.ts';
import { mailStates } from '../model/mail.ts';
import { typeCode } from '../model/mail-type.ts';

const name = z
  .string()
  .regex(/^[\w. -]{1,100}$/, 'must be up to 100 letters, digits, dots, dashes or spaces');
const which = z.string().min(1).max(100).describe('Name or id of the campaign');
const one = z.strictObject({ campaign: which });
const changing = { role: 'user', owner: ownerOfCampaign, changes: true } as const;

const campaignRow = z.strictObject({
  ...{ id: z.string(), name: z.string(), owner: z.string(), type: z.string(), state: z.enum(campaignStates) },
  /** People read from the audience; of them mails were made, named again, refused for their address. */
  ...{ read: z.int(), generated: z.int(), repeated: z.int(), refused: z.int() },
  ...{
    problem: z.string(),
    createdAt: z.number(),
    startedAt: z.number().nullable(),
    endedAt: z.number().nullable(),
  },
});

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
      .array(z.string().regex(/^[a-z0-9][a-z0-9._-]{0,63}=\d+(\.\d+)?$/, 'must be TYPE=SHARE'))
      .max(10)
      .default([])
      .describe('A/B: mail types and their shares instead of the type, e.g. news=1,news-b=1'),
    after: z.string().max(100).default('').describe('Campaign that must have ended before'),
  }),
  output: campaignRow,
  example: { name: 'spring', type: 'news', audience: [`csv:${'0'.repeat(64)}`] },
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
    return toRow(await createCampaign(engine, caller, { ...input, audience, variants }));
  },
});

export const campaignStart = defineOperation({
  ...changing,
  name: 'campaign.start',
  stores: true,
  summary: 'Start a campaign, or release one that was only generated',
  input: z.strictObject({
    campaign: which,
    at: z.number().optional().describe('Send nothing before this time (ms since 1970)'),
    generateOnly: z
      .boolean()
      .default(false)
      .describe('Make all mails, and send them when it is started again'),
  }),
  output: done,
  example: { campaign: 'spring' },
  async handler({ engine, caller }, { campaign: wanted, at, generateOnly }) {
    const { startCampaign } = await import('../campaigns/create-campaign.ts');
    await startCampaign(engine, await getCampaign(engine, wanted, caller.name), { at, generateOnly });
    return {};
  },
});

export const campaignPause = defineOperation({
  ...changing,
  name: 'campaign.pause',
  heavy: 'work',
  deadlineMs: 300_000,
  summary: 'Pause a campaign: mails that have not left stay until it goes on',
  input: one,
  output: z.strictObject({ waiting: z.int() }),
  example: { campaign: 'spring' },
  async handler({ engine, caller }, { campaign: wanted }) {
    const campaign = await getCampaign(engine, wanted, caller.name);
    await setCampaignState(engine, campaign, ['running'], { state: 'paused' });
    await engine.backlog.pause(campaign.id);
    const { waiting } = await countStates(engine, campaign.id);
    return { waiting: waiting ?? 0 };
  },
});

export const campaignResume = defineOperation({
  ...changing,
  name: 'campaign.resume',
  heavy: 'work',
  deadlineMs: 300_000,
  summary: 'Go on with a paused campaign',
  input: one,
  output: done,
  example: { campaign: 'spring' },
  async handler({ engine, caller }, { campaign: wanted }) {
    const { wakeCampaigns } = await import('../campaigns/run-campaigns.ts');
    const campaign = await getCampaign(engine, wanted, caller.name);
    await setCampaignState(engine, campaign, ['paused'], { state: 'running' });
    await engine.backlog.resume(campaign.id);
    wakeCampaigns(engine);
    return {};
  },
});

export const campaignCancel = defineOperation({
  ...changing,
  name: 'campaign.cancel',
  heavy: 'work',
  deadlineMs: 300_000,
  summary: 'Cancel a campaign for good: mails that have not left are not sent',
  input: one,
  output: z.strictObject({ cancelled: z.int() }),
  example: { campaign: 'spring' },
  async handler({ engine, caller }, { campaign: wanted }) {
    const { cancelCampaign } = await import('../campaigns/create-campaign.ts');
    return { cancelled: await cancelCampaign(engine, await getCampaign(engine, wanted, caller.name)) };
  },
});

export const campaignRetry = defineOperation({
  ...changing,
  name: 'campaign.retry',
  heavy: 'work',
  deadlineMs: 300_000,
  stores: true,
  summary: 'Send the mails of a campaign again that failed or expired, and only those',
  input: z.strictObject({
    campaign: which,
    unknown: z.boolean().default(false).describe('Also those that a relay may have taken (unknown)'),
  }),
  output: z.strictObject({ mails: z.int() }),
  example: { campaign: 'spring' },
  async handler({ engine, caller }, { campaign: wanted, unknown }) {
    const { resendMails } = await import('../delivery/resend-mails.ts');
    const { wakeCampaigns } = await import('../campaigns/run-campaigns.ts');
    const { id, state } = await getCampaign(engine, wanted, caller.name);
    if (state === 'cancelled') throw new PismakError('conflict', 'the campaign was cancelled');
    const states = unknown ? (['failed', 'expired', 'unknown'] as const) : (['failed', 'expired'] as const);
    const mails = await resendMails(engine, {
      campaign: id,
      states,
      isPaused: state === 'paused' || state === 'held',
    });
    if (mails > 0)
      await mailQueries(engine)
        .updateTable('mail_campaign')
        .set({ state: 'running', endedAt: null })
        .where('id', '=', id)
        .where('state', '=', 'done')
        .execute();
    wakeCampaigns(engine);
    return { mails };
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
  input: one,
  output: z.strictObject({
    ...campaignRow.shape,
    mails: z.partialRecord(z.enum(mailStates), z.int()),
    /** Mails that a dying sender had in its hands, and mails that a relay may have taken without saying so. */
    ...{ mayBeTwice: z.int(), unknown: z.int() },
    variants: z.record(z.string(), z.partialRecord(z.enum(mailStates), z.int())),
  }),
  example: { campaign: 'spring' },
  async handler({ engine, caller }, { campaign: wanted }) {
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
      ...toRow(campaign),
      mails,
      mayBeTwice,
      unknown: Number(twice.unknown ?? 0),
      variants: await countVariants(engine, campaign),
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
  output: z.strictObject({ campaigns: z.array(campaignRow) }),
  example: {},
  async handler({ engine, caller }, { limit }) {
    const all = mailQueries(engine)
      .selectFrom('mail_campaign')
      .selectAll()
      .orderBy('id', 'desc')
      .limit(limit);
    const rows = await (caller.role === 'admin' ? all : all.where('owner', '=', caller.name)).execute();
    return { campaigns: rows.map((row) => toRow(toCampaign(row))) };
  },
});

async function ownerOfCampaign(
  { engine, caller }: OperationContext,
  { campaign }: { campaign: string },
): Promise<string | undefined> {
  return (await findCampaign(engine, campaign, caller.name))?.owner;
}

async function countStates(engine: OperationContext['engine'], campaign: string) {
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

async function countVariants(engine: OperationContext['engine'], { id, variants }: Campaign) {
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
  return counts;
}

function toRow(campaign: Campaign): z.output<typeof campaignRow> {
  const {
    id,
    name,
    owner,
    type,
    state,
    read,
    generated,
    repeated,
    refused,
    problem,
    createdAt,
    startedAt,
    endedAt,
  } = campaign;
  return {
    id,
    name,
    owner,
    type,
    state,
    read,
    generated,
    repeated,
    refused,
    problem,
    createdAt,
    startedAt,
    endedAt,
  };
}
