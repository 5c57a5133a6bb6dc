import { z } from 'zod';

/** Apart from house.ts, because operations read it: they may not import what imports them. */
export const guestbookSection = {
  name: 'guestbook',
  settings: z.strictObject({
    longest: z.int().min(1).default(200).describe('Characters that an entry may have'),
  }),
};
