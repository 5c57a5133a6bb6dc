import type { Engine } from '../../engine/engine.ts';
import { type Campaign, setCampaignState, storedAudience } from './campaign.ts';

/** Lets the mails of a campaign leave that was only generated. If it fails halfway, it can be done again. */
export async function releaseCampaign(
  parts: Pick<Engine, 'backlog' | 'clock' | 'database'>,
  campaign: Campaign,
): Promise<void> {
  await parts.backlog.resume(campaign.id);
  await setCampaignState(parts, campaign, ['held'], {
    state: 'running',
    audience: storedAudience({ ...campaign, isHeld: false }),
    startedAt: parts.clock.now(),
  });
}
