import type { Random } from '../../engine/ground/identity.ts';
import { type Day, formatDay } from '../calendar/days.ts';

/** A small advertiser: what it has, and what happens to it in a day. */
export const advertiser = { user: 3, campaigns: 4, groupsPerCampaign: 3, keywordsPerGroup: 10 };

const words = ['shoes', 'boots', 'sandals', 'coats', 'hats', 'gloves', 'scarves', 'socks', 'belts', 'bags'];
const places = ['Brno', 'Prague', 'Ostrava', 'Olomouc'];
const seasons = ['spring', 'summer', 'winter'];

export interface DemoEntity {
  kind: 'campaign' | 'group' | 'keyword';
  user: number;
  entity: number;
  name: string;
  parent?: number;
  budget?: number;
}

export function demoEntities(): DemoEntity[] {
  const { user, campaigns, groupsPerCampaign, keywordsPerGroup } = advertiser;
  const entities: DemoEntity[] = [];
  for (let campaign = 1; campaign <= campaigns; campaign++) {
    const place = places[campaign - 1] ?? '';
    entities.push({ kind: 'campaign', user, entity: campaign, name: `Shop ${place}`, budget: 500_000 });
    for (let index = 1; index <= groupsPerCampaign; index++) {
      const group = 10 * campaign + index;
      const name = `${place} ${seasons[index - 1] ?? ''}`;
      entities.push({ kind: 'group', user, entity: group, name, parent: campaign });
      for (let word = 1; word <= keywordsPerGroup; word++)
        entities.push({
          kind: 'keyword',
          user,
          entity: 100 * group + word,
          parent: group,
          name: `${words[word - 1] ?? ''} ${place}`,
        });
    }
  }
  return entities;
}

/** The events of one day, as lines of NDJSON: busier on weekdays and before Christmas, growing over time. */
export function demoDay(day: Day, age: number, random: Random): string[] {
  const weekday = (((day + 3) % 7) + 7) % 7;
  const date = formatDay(day);
  const busy = (weekday < 5 ? 1 : 0.6) * (date.slice(5, 7) === '12' ? 1.8 : 1) * (0.6 + 0.4 * age);
  const lines: string[] = [];
  for (const { kind, user, entity } of demoEntities()) {
    if (kind !== 'keyword') continue;
    // Some keywords do well, most don't.
    const appeal = ((entity * 7919) % 97) / 97;
    for (const split of ['fulltext', 'context']) {
      if (random() > 0.35 + 0.5 * appeal) continue;
      const impressions = Math.round(400 * busy * (0.2 + appeal) * (0.5 + random()));
      const clicks = Math.round(impressions * (split === 'fulltext' ? 0.04 : 0.008) * (0.5 + random()));
      const conversions = Math.round(clicks * 0.05 * 2 * random());
      const sums = {
        impressions,
        clicks,
        cost: clicks * Math.round(300 + 400 * random()),
        conversions,
        conversionValue: conversions * 80_000,
      };
      const hour = String(Math.floor(6 + 16 * random())).padStart(2, '0');
      const at = `${date}T${hour}:${String(Math.floor(60 * random())).padStart(2, '0')}:00Z`;
      const group = Math.floor(entity / 100);
      const above = { keyword: entity, group, campaign: Math.floor(group / 10) };
      for (const [of, key] of Object.entries(above))
        lines.push(JSON.stringify({ kind: of, entity: key, user, split, at, ...sums }));
    }
  }
  return lines;
}
