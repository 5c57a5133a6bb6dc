import { z } from 'zod';
import type { OperationContext } from '../../engine/operation/operation.ts';
import { type CrawlRow, robotDatabase } from '../database/tables.ts';

export const crawlId = z.string().min(1).max(100).describe('ID of a crawl, or the name of one of yours');
export const someCrawl = 'Czech';
export const crawlName = z
  .string()
  .regex(/^[\p{L}\p{N}][\p{L}\p{N}._ -]{0,99}$/u, 'use letters, digits, spaces, points and hyphens')
  .describe('A name for the crawl');

export const crawlStates = ['new', 'running', 'paused', 'stopped', 'finished'] as const;

const counts = z.record(z.string(), z.number());
export const statisticsRow = z.strictObject({
  requests: z.number(),
  documents: z.number(),
  unchanged: z.number(),
  bytes: z.number(),
  htmlBytes: z.number(),
  textBytes: z.number(),
  words: z.number(),
  sentences: z.number(),
  redirects: z.number(),
  disallowed: z.number(),
  notFollowed: z.number().default(0),
  errors: counts,
  languages: counts,
  batches: z.number(),
  lostBatches: z.number(),
  domains: z.number(),
  queued: z.number(),
  spent: counts,
  at: z.number(),
  addresses: z.strictObject({
    waiting: z.number(),
    active: z.number(),
    resting: z.number(),
    done: z.number(),
  }),
});

export const crawlRow = z.strictObject({
  id: z.string(),
  name: z.string(),
  owner: z.string(),
  state: z.enum(crawlStates),
  createdAt: z.number(),
  startedAt: z.number().nullable(),
  finishedAt: z.number().nullable(),
  /** Scanned pages that wait to be read by a pipeline. */
  scansWaiting: z.number(),
  statistics: statisticsRow,
});

export function toRow(crawl: CrawlRow, waiting: ReadonlyMap<number, number>): z.output<typeof crawlRow> {
  const { id, name, owner, state, createdAt, startedAt, finishedAt } = crawl;
  const statistics = statisticsRow.parse(JSON.parse(crawl.statistics));
  const scansWaiting = waiting.get(Number(crawl.number)) ?? 0;
  return { id, name, owner, state, createdAt, startedAt, finishedAt, scansWaiting, statistics };
}

export async function ownerOfCrawl(
  { engine, caller }: OperationContext,
  { crawl }: { crawl: string },
): Promise<string | undefined> {
  const row = await robotDatabase(engine)
    .query.selectFrom('robot_crawl')
    .select('owner')
    .where(({ or, and, eb }) =>
      or([eb('id', '=', crawl), and([eb('name', '=', crawl), eb('owner', '=', caller.name)])]),
    )
    .executeTakeFirst();
  return row?.owner;
}
