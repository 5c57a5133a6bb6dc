import { z } from 'zod';
import { defineOperation } from '../../engine/operation/operation.ts';
import { getCampaign } from '../campaigns/campaign.ts';
import { changing, ownerOfCampaign, whichCampaign } from './campaign-rows.ts';

export const campaignTry = defineOperation({
  name: 'campaign.try',
  summary: 'Dry run: read the audience and build the mails of a campaign, but send and store nothing',
  role: 'user',
  owner: ownerOfCampaign,
  heavy: 'work',
  changes: false,
  input: z.strictObject({
    campaign: whichCampaign,
    limit: z.int().min(1).max(100_000).default(10_000).describe('Maximum number of people to read'),
  }),
  output: z.strictObject({
    read: z.int(),
    isComplete: z.boolean(),
    mails: z.int(),
    types: z.record(z.string(), z.int()),
    repeated: z.int(),
    refused: z.int(),
    suppressed: z.int(),
    failed: z.int(),
    problems: z
      .array(z.strictObject({ row: z.int(), email: z.string(), reason: z.string() }))
      .max(20)
      .describe('The first people who would get no mail, and why'),
    largestBytes: z.int(),
    meanBytes: z.int(),
  }),
  example: { campaign: 'spring' },
  async handler({ engine, caller, signal }, { campaign, limit }) {
    const { rehearse } = await import('../campaigns/rehearse.ts');
    return rehearse(engine, await getCampaign(engine, campaign, caller.name), limit, signal);
  },
});

export const campaignTest = defineOperation({
  ...changing,
  name: 'campaign.test',
  stores: true,
  summary: 'Send the mails of the first people of a campaign, in each variant, to test addresses',
  input: z.strictObject({
    campaign: whichCampaign,
    to: z.array(z.string().min(1).max(600)).min(1).max(10).describe('Addresses that get the mails'),
    people: z.int().min(1).max(10).default(1).describe('Number of people of the audience'),
  }),
  output: z.strictObject({ mails: z.array(z.string()).max(1000) }),
  example: { campaign: 'spring', to: ['me@example.org'] },
  async handler({ engine, caller }, { campaign, to, people }) {
    const { sendTests } = await import('../campaigns/rehearse.ts');
    return {
      mails: await sendTests(engine, await getCampaign(engine, campaign, caller.name), {
        to,
        people,
        caller,
      }),
    };
  },
});
