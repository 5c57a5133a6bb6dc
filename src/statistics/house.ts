import type { House } from '../engine/house.ts';
import { statisticsSection } from './settings/settings.ts';

/** Exact sums over millions of entities by day, week, month, quarter and year, in milliseconds. */
export const statistics = {
  ...statisticsSection,
  title: 'Statistics',
  commands: {
    statistics: {
      summary: 'Count events; show series and tables of exact sums',
      load: () => import('./commands/statistics.ts'),
    },
  },
  load: async () => (await import('./parts.ts')).parts,
} as const satisfies House;
