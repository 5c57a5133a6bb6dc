import { giveUp } from '../../engine/blob-owners/blob-erasure.ts';
import type { Engine } from '../../engine/composition/engine.ts';
import { mailDatabase } from '../database/tables.ts';
import { answerText } from '../delivery/answer-text.ts';
import { sayMailAlert } from '../model/alert-sentences.ts';
import { audienceOwner, type Campaign, tellCampaign } from './campaign.ts';

/** Ends a campaign whose audience can't be read. Mails made so far are still sent, unless the campaign has been cancelled. */
export async function failCampaign(
  parts: Pick<Engine, 'alerts' | 'changes' | 'clock' | 'database'>,
  { id, name, owner }: Pick<Campaign, 'id' | 'name' | 'owner'>,
  why: string,
): Promise<void> {
  const problem = answerText(why);
  const now = parts.clock.now();
  const hasFailed = await mailDatabase(parts).transaction(async (transaction) => {
    const { numUpdatedRows } = await transaction
      .updateTable('mail_campaign')
      .set({ state: 'failed', problem, endedAt: now })
      .where('id', '=', id)
      .where('state', '<>', 'cancelled')
      .executeTakeFirst();
    await giveUp(transaction, audienceOwner(id), now);
    return Number(numUpdatedRows) > 0;
  });
  if (!hasFailed) return;
  tellCampaign(parts, { id, owner });
  const reason = sayMailAlert('mail.campaign-failed', { campaign: name, why: problem });
  await parts.alerts.raise('mail.campaign-failed', id, reason, { owner });
}
