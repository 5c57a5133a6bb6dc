import { z } from 'zod';

/** `[transcription]` in pismak.toml. */
export const transcriptionSettings = z.strictObject({
  pagesPerMonth: z
    .int()
    .min(0)
    .default(0)
    .describe('Limit on pages transcribed per key and month; 0 = no limit'),
  pagesWaiting: z.int().min(0).default(0).describe('Limit on unfinished pages per key; 0 = no limit'),
  storageMb: z
    .number()
    .min(0)
    .default(0)
    .describe('Limit on the total size of the sources in the documents of a user; 0 = no limit'),
});
