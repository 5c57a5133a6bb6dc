import type { House } from '../../src/engine/house.ts';
import { guestbookSection } from './settings.ts';

export const guestbook: House = {
  ...guestbookSection,
  title: 'Guestbook',
  commands: {
    guestbook: { summary: 'Sign and read the guestbook', load: () => import('./commands.ts') },
  },
  load: async () => (await import('./parts.ts')).parts,
};
