import { z } from 'zod';

const settings = z.strictObject({
  timezone: z
    .string()
    .min(1)
    .max(100)
    .default('Europe/Prague')
    .describe('Time zone in which days begin and end. It can’t change once something is counted'),
  schemas: z
    .array(z.string().min(1))
    .default([])
    .describe('Files with schemas of your own, besides `advertising` and `pismak`')
    .meta({ isPath: true }),
  lateDays: z
    .int()
    .min(0)
    .max(3650)
    .default(45)
    .describe(
      'A day is sealed this many days and 36 hours after its end: its half hours are dropped, and late events are refused',
    ),
  futureMinutes: z.int().min(0).max(1440).default(10).describe('Events further in the future are refused'),
  cacheMb: z
    .int()
    .min(1)
    .default(512)
    .describe('Memory for cached sums; the least recently used are dropped first'),
  entities: z
    .int()
    .min(0)
    .default(2_000_000)
    .describe('Maximum entities of one user and kind; 0 = no limit. Does not apply to administrators'),
  eventsPerMonth: z
    .int()
    .min(0)
    .default(0)
    .describe(
      'Maximum events that a user may send in a month; 0 = no limit. Does not apply to administrators',
    ),
  store: z
    .string()
    .refine((value) => value === '' || /^clickhouses?:/.test(value), {
      error: 'must begin with clickhouse: or clickhouses:',
    })
    .default('')
    .meta({ allowed: 'a URL that begins with clickhouse: or clickhouses:' })
    .describe('ClickHouse servers for the rows of large units. Default: everything stays in the database'),
  own: z.boolean().default(true).describe('Count Pismak’s own events, with the schema `pismak`'),
});

/** `[statistics]` in pismak.toml. Apart from house.ts, because operations read it: they may not import what imports them. */
export const statisticsSection = { name: 'statistics', settings } as const;

export type StatisticsSettings = z.output<typeof settings>;
