import { z } from 'zod';

const settings = z.strictObject({
  pagesPerMonth: z
    .int()
    .min(0)
    .default(0)
    .describe('Limit on pages transcribed per user and month; 0 = no limit'),
  pagesWaiting: z.int().min(0).default(0).describe('Limit on unfinished pages per user; 0 = no limit'),
  documents: z
    .int()
    .min(0)
    .default(100_000)
    .describe('Limit on the documents of a user; 0 = no limit. Administrators have none'),
  storageMb: z
    .number()
    .min(0)
    .default(0)
    .describe('Limit on the total size of the sources in the documents of a user; 0 = no limit'),
});

/** `[transcription]` in pismak.toml. */
export const transcriptionSection = { name: 'transcription', settings } as const;
