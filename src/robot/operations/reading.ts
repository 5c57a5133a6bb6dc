import { z } from 'zod';
import { PismakError } from '../../engine/ground/errors.ts';
import { defineOperation } from '../../engine/operation/operation.ts';
import { defineStream } from '../../engine/operation/stream-operation.ts';
import { crawlOptions, readDefinition } from '../crawl/options.ts';
import { requestState, robotDatabase } from '../database/tables.ts';
import { crawlId, ownerOfCrawl, someCrawl } from './rows.ts';

const reading = { role: 'reader', owner: ownerOfCrawl, changes: false } as const;
const limit = z.int().min(1).max(1000).default(100).describe('Maximum number of entries');

export const robotHosts = defineOperation({
  ...reading,
  name: 'robot.hosts',
  summary: 'List the domains of a crawl, by number of pages',
  heavy: 'read',
  input: z.strictObject({
    crawl: crawlId,
    match: z.string().max(255).optional().describe('Only hosts that contain this text'),
    limit,
  }),
  output: z.strictObject({
    hosts: z.array(
      z.strictObject({
        origin: z.string(),
        state: z.string(),
        addresses: z.array(z.string()),
        queued: z.number(),
        fetched: z.number(),
        words: z.number(),
        bytes: z.number(),
        meanMs: z.number(),
        crawlDelayMs: z.number(),
        blockedUntil: z.number(),
        problem: z.string().nullable(),
      }),
    ),
  }),
  example: { crawl: someCrawl, limit: 20 },
  async handler({ engine, caller }, { crawl, match, limit: most }) {
    const { query } = robotDatabase(engine);
    const { findCrawl } = await import('../crawl/crawls.ts');
    const { number } = await findCrawl(query, crawl, caller.name);
    let rows = query
      .selectFrom('robot_domain')
      .select([
        'origin',
        'state',
        'addresses',
        'queued',
        'fetched',
        'words',
        'bytes',
        'meanMs',
        'crawlDelayMs',
      ])
      .select(['blockedUntil', 'problem'])
      .where('crawl', '=', number);
    if (match !== undefined) {
      const pattern = `%${match.replaceAll(/[\\%_]/g, '\\$&')}%`;
      rows = rows.where(({ eb, val, fn }) => eb(fn('lower', ['host']), 'like', val(pattern.toLowerCase())));
    }
    const found = await rows.orderBy('fetched', 'desc').orderBy('id').limit(most).execute();
    return {
      hosts: found.map((row) => ({
        ...row,
        queued: Number(row.queued),
        fetched: Number(row.fetched),
        words: Number(row.words),
        bytes: Number(row.bytes),
        crawlDelayMs: Number(row.crawlDelayMs),
        blockedUntil: Number(row.blockedUntil),
        addresses: JSON.parse(row.addresses) as string[],
      })),
    };
  },
});

const requestRow = z.strictObject({
  url: z.string(),
  state: z.string(),
  outcome: z.string().nullable(),
  depth: z.number(),
  attempts: z.number(),
  status: z.number().nullable(),
  usability: z.number().nullable(),
  via: z.string().nullable(),
  fetchedAt: z.number().nullable(),
  notBefore: z.number(),
});

export const robotExplain = defineOperation({
  ...reading,
  name: 'robot.explain',
  summary: 'Explain why a page was fetched or not, and how it ended',
  input: z.strictObject({
    url: z.string().min(1).max(8_000).describe('Address of the page'),
    crawl: crawlId,
  }),
  output: z.strictObject({ lines: z.array(z.string()).max(100), request: requestRow.nullable() }),
  example: { url: 'https://www.example.cz/a.html', crawl: someCrawl },
  async handler({ engine, caller }, { crawl, url }) {
    const { explainUrl } = await import('../crawl/explain.ts');
    return explainUrl(engine, { crawl, owner: caller.name }, url);
  },
});

export const robotDisallowed = defineOperation({
  ...reading,
  name: 'robot.disallowed',
  summary: 'List the pages that robots.txt forbade',
  heavy: 'read',
  input: z.strictObject({
    crawl: crawlId,
    after: z.string().max(8_000).optional().describe('Continue after this address'),
    limit,
  }),
  output: z.strictObject({ urls: z.array(z.string()) }),
  example: { crawl: someCrawl },
  async handler({ engine, caller }, { crawl, after, limit: most }) {
    const { query } = robotDatabase(engine);
    const [{ findCrawl }, { splitUrl }] = await Promise.all([
      import('../crawl/crawls.ts'),
      import('../text/url/split-url.ts'),
    ]);
    const { number } = await findCrawl(query, crawl, caller.name);
    let rows = query
      .selectFrom('robot_request')
      .innerJoin('robot_domain', 'robot_domain.id', 'robot_request.domain')
      .select(['origin', 'path'])
      .where('robot_domain.crawl', '=', number)
      .where('robot_request.state', '=', requestState.disallowed);
    if (after !== undefined) {
      const { origin, path } = splitUrl(after);
      rows = rows.where(({ or, and, eb }) =>
        or([eb('origin', '>', origin), and([eb('origin', '=', origin), eb('path', '>', path)])]),
      );
    }
    const found = await rows.orderBy('origin').orderBy('path').limit(most).execute();
    return { urls: found.map(({ origin, path }) => `${origin}${path}`) };
  },
});

export const robotOptions = defineOperation({
  ...reading,
  name: 'robot.options',
  summary: 'Show the options of a crawl',
  input: z.strictObject({ crawl: crawlId }),
  output: crawlOptions.extend({
    contact: z.string(),
    segmenter: z.string(),
    seeds: z.number().describe('Number of URLs to start from'),
  }),
  example: { crawl: someCrawl },
  async handler({ engine, caller }, { crawl }) {
    const { findCrawl } = await import('../crawl/crawls.ts');
    const row = await findCrawl(robotDatabase(engine).query, crawl, caller.name);
    const { seeds, resolve: _, ...options } = readDefinition(row.options);
    return { ...options, seeds: seeds.length };
  },
});

export const robotSegments = defineOperation({
  ...reading,
  name: 'robot.segments',
  summary: 'List the stored segments of a crawl, in order',
  input: z.strictObject({
    crawl: crawlId,
    after: z.int().min(0).default(0).describe('Only segments after this one'),
    limit,
  }),
  output: z.strictObject({
    segments: z.array(
      z.strictObject({
        id: z.number(),
        size: z.number(),
        pages: z.number(),
        createdAt: z.number(),
        parts: z
          .array(z.strictObject({ name: z.string(), length: z.number() }))
          .describe('The parts in order, with their lengths in bytes'),
      }),
    ),
  }),
  example: { crawl: someCrawl },
  async handler({ engine, caller }, { crawl, after, limit: most }) {
    const database = robotDatabase(engine);
    const [{ findCrawl }, { listSegments }] = await Promise.all([
      import('../crawl/crawls.ts'),
      import('../segments/segment-list.ts'),
    ]);
    const { number } = await findCrawl(database.query, crawl, caller.name);
    const rows = await listSegments(database, { crawl: Number(number), after, limit: most });
    return {
      segments: rows.map((row) => ({
        id: Number(row.id),
        size: Number(row.size),
        pages: row.pages,
        createdAt: Number(row.createdAt),
        parts: JSON.parse(row.parts) as { name: string; length: number }[],
      })),
    };
  },
});

export const robotRelease = defineOperation({
  name: 'robot.release',
  summary: 'Delete exported segments of a crawl; its frontier stays',
  role: 'user',
  owner: ownerOfCrawl,
  changes: true,
  heavy: 'work',
  deadlineMs: 300_000,
  input: z.strictObject({
    crawl: crawlId,
    through: z.int().min(1).describe('The last segment to delete, from robot.segments'),
  }),
  output: z.strictObject({ segments: z.number(), bytes: z.number() }),
  example: { crawl: someCrawl, through: 1 },
  async handler({ engine, caller }, { crawl, through }) {
    const { releaseSegments } = await import('../crawl/crawls.ts');
    return releaseSegments(engine, { crawl, owner: caller.name }, through);
  },
});

export const robotSegment = defineStream({
  name: 'robot.segment',
  summary: 'Download a segment: its parts in order, each a run of gzip members',
  role: 'reader',
  owner: ownerOfCrawl,
  input: z.strictObject({ crawl: crawlId, segment: z.int().min(1).describe('From robot.segments') }),
  example: { crawl: someCrawl, segment: 1 },
  async open({ engine, caller }, { crawl, segment }) {
    const { query } = robotDatabase(engine);
    const { findCrawl } = await import('../crawl/crawls.ts');
    const { number } = await findCrawl(query, crawl, caller.name);
    const row = await query
      .selectFrom('robot_segment')
      .select(['blob', 'size'])
      .where('crawl', '=', number)
      .where('id', '=', segment)
      .executeTakeFirst();
    if (!row) throw new PismakError('not-found', `the crawl has no segment ${segment}`);
    const content = engine.blobs.get(row.blob);
    return { content, size: Number(row.size), type: 'application/gzip', fileName: `segment-${segment}.gz` };
  },
});
