import type { Engine } from '../../engine/composition/engine.ts';
import type { Reported } from '../../engine/sample/measured.ts';
import type { Progress } from '../../engine/sample/sample.ts';
import { mailQueries } from '../database/tables.ts';

const mostCampaigns = 50;

/** How far the running campaigns have come: mails that have ended, of those made so far. */
export async function campaignProgress(engine: Pick<Engine, 'database'>): Promise<Progress[]> {
  const campaigns = await mailQueries(engine)
    .selectFrom('mail_campaign')
    .select(['id', 'owner', 'name', 'generated'])
    .where('state', '=', 'running')
    .orderBy('startedAt', 'desc')
    .limit(mostCampaigns)
    .execute();
  if (campaigns.length === 0) return [];
  const ids = campaigns.map(({ id }) => id);
  const open = await mailQueries(engine)
    .selectFrom('mail_mail')
    .select(({ fn }) => ['campaign', fn.countAll().as('count')])
    // The same words as in the index.
    .where('campaign', '<>', '')
    .where('campaign', 'in', ids)
    .where('state', 'in', ['waiting', 'sending', 'deferred'])
    .groupBy('campaign')
    .execute();
  const counts = new Map(open.map(({ campaign, count }) => [campaign, Number(count)]));
  return campaigns.map(({ id, owner, name, generated }) => {
    const total = Number(generated);
    return {
      kind: 'campaign',
      entity: id,
      owner,
      name,
      total,
      done: Math.max(0, total - (counts.get(id) ?? 0)),
    };
  });
}

/** Mails of campaigns that have ended, and those still waiting. */
export function campaignSeries(campaigns: readonly Progress[]): Reported[] {
  return campaigns.flatMap(({ entity, owner, done, total }): Reported[] => [
    { name: `mail.ended/${entity}`, kind: 'total', value: done, owner },
    { name: `mail.waiting/${entity}`, kind: 'level', value: total - done, owner },
  ]);
}
