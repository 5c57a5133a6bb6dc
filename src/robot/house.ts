import type { House } from '../engine/house.ts';
import { robotSection } from './settings/settings.ts';

/** Crawls the web politely and builds a text corpus. */
export const robot = {
  ...robotSection,
  title: 'Robot',
  commands: {
    robot: {
      summary: 'Crawl the web politely and build a text corpus',
      load: () => import('./commands/robot.ts'),
    },
  },
  load: async () => (await import('./parts.ts')).parts,
} as const satisfies House;
