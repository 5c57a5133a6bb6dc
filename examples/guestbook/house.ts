import { z } from 'zod';
import type { House } from '../../src/engine/house.ts';

export const guestbook = {
  name: 'guestbook',
  title: 'Guestbook',
  settings: z.strictObject({
    longest: z.int().min(1).default(200).describe('Characters that an entry may have'),
  }),
  commands: {
    guestbook: { summary: 'Sign and read the guestbook', load: () => import('./commands.ts') },
  },
  load: async () => (await import('./parts.ts')).parts,
} as const satisfies House;
