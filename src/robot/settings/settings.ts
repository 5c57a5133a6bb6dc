import { z } from 'zod';
import { crawlOptionFields } from '../crawl/options.ts';

const settings = z.strictObject({
  harvesters: z
    .int()
    .min(0)
    .max(256)
    .default(0)
    .describe(
      'Threads of this process that fetch and clean pages; 0 = as many as there is work and processor time for',
    ),
  crawls: z
    .int()
    .min(0)
    .default(20)
    .describe('Limit on the crawls of a user; 0 = no limit. Administrators have none'),
  lease: z
    .number()
    .min(1)
    .max(600)
    .default(60)
    .describe(
      'Seconds after which a harvester that reports nothing counts as lost; the same on all machines',
    ),
  fastest: z
    .number()
    .min(0)
    .default(1)
    .describe('The shortest reqDelay in seconds that users who are not administrators may choose for crawls'),
  ...crawlOptionFields,
});

/** `[robot]` in pismak.toml: defaults of the options of crawls, and what this process does. */
export const robotSection = { name: 'robot', settings } as const;
