import { z } from 'zod';
import { PismakError } from '../../engine/ground/errors.ts';
import { stateOf } from '../../engine/house.ts';
import { defineOperation } from '../../engine/operation/operation.ts';
import { done } from '../../engine/operation/operations/rows.ts';
import { getCampaign, setCampaignState, tellCampaign } from '../campaigns/campaign.ts';
import { mailQueries } from '../database/tables.ts';
import { changing, countStates, oneCampaign, whichCampaign } from './campaign-rows.ts';

export const campaignPause = defineOperation({
  ...changing,
  name: 'campaign.pause',
  heavy: 'work',
  deadlineMs: 300_000,
  summary: 'Pause a campaign: mails not yet sent wait until it is resumed',
  input: oneCampaign,
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
  summary: 'Resume a paused campaign',
  input: oneCampaign,
  output: done,
  example: { campaign: 'spring' },
  async handler({ engine, caller }, { campaign: wanted }) {
    const { OpenMail } = await import('../opened/open-mail.ts');
    const campaign = await getCampaign(engine, wanted, caller.name);
    await setCampaignState(engine, campaign, ['paused'], { state: 'running' });
    // With generateOnly, only generation resumes: the mails wait for a second start.
    if (!campaign.isHeld) await engine.backlog.resume(campaign.id);
    stateOf(engine, OpenMail).campaigns.wake();
    return {};
  },
});

export const campaignCancel = defineOperation({
  ...changing,
  name: 'campaign.cancel',
  heavy: 'work',
  deadlineMs: 300_000,
  summary: 'Cancel a campaign for good: mails not yet sent are dropped',
  input: oneCampaign,
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
  summary: 'Send the failed and expired mails of a campaign again, and only those',
  input: z.strictObject({
    campaign: whichCampaign,
    unknown: z.boolean().default(false).describe('Also those that a relay may have taken (unknown)'),
  }),
  output: z.strictObject({ mails: z.int() }),
  example: { campaign: 'spring' },
  async handler({ engine, caller }, { campaign: wanted, unknown }) {
    const { resendMails } = await import('../delivery/resend-mails.ts');
    const { OpenMail } = await import('../opened/open-mail.ts');
    const campaign = await getCampaign(engine, wanted, caller.name);
    const { id, state } = campaign;
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
    stateOf(engine, OpenMail).campaigns.wake();
    tellCampaign(engine, campaign);
    return { mails };
  },
});
