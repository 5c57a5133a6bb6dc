import { z } from 'zod';

/** `[transcription]` in pismak.toml. */
export const transcriptionSettings = z.strictObject({
  pagesPerMonth: z
    .int()
    .min(0)
    .default(0)
    .describe('Pages that a key may have read in a month; 0 = no limit'),
  pagesWaiting: z.int().min(0).default(0).describe('Pages of a key that may wait at once; 0 = no limit'),
  storageMb: z
    .number()
    .min(0)
    .default(0)
    .describe('What the sources in the documents of a user may take together; 0 = no limit'),
});
