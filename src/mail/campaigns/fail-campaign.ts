import type { Engine } from '../../engine/engine.ts';
import { mailQueries } from '../database/tables.ts';
import { answerText } from '../delivery/answer-text.ts';
import type { Campaign } from './campaign.ts';

/** Only an unreadable audience ends up here. Mails that were made are sent, unless somebody has cancelled the campaign meanwhile. */
export async function failCampaign(
  parts: Pick<Engine, 'alerts' | 'clock' | 'database'>,
  { id, name, owner }: Pick<Campaign, 'id' | 'name' | 'owner'>,
  why: string,
): Promise<void> {
  const problem = answerText(why);
  const { numUpdatedRows } = await mailQueries(parts)
    .updateTable('mail_campaign')
    .set({ state: 'failed', problem, endedAt: parts.clock.now() })
    .where('id', '=', id)
    .where('state', '<>', 'cancelled')
    .executeTakeFirst();
  if (Number(numUpdatedRows) === 0) return;
  await parts.alerts.raise('mail.campaign-failed', id, `campaign ${name} stopped: ${problem}`, { owner });
}
