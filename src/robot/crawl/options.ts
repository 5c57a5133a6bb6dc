import { z } from 'zod';
import type { Rules } from '../politeness/rules.ts';

const seconds = (about: string, fallback: number, max = 86_400) =>
  z.number().min(0).max(max).default(fallback).describe(about);

/** The options of a crawl: on the command line, in `[robot]` of pismak.toml, and in the API. */
export const crawlOptionFields = {
  include: z
    .string()
    .max(10_000)
    .default('')
    .describe('Crawl only hosts that match this regular expression; empty: all hosts'),
  exclude: z.string().max(10_000).default('').describe('Skip hosts that match this regular expression'),
  depth: z
    .int()
    .min(0)
    .max(100_000)
    .default(0)
    .describe('Follow links up to this many steps from the seeds; 0 = no limit'),
  reqDelay: seconds('Seconds between two requests to a host', 5, 3_600),
  maxHosts: z
    .int()
    .min(1)
    .max(1_000)
    .default(2)
    .describe('Maximum number of hosts of an IP address that are contacted at once'),
  maxReqs: z
    .int()
    .min(1)
    .max(1_000_000)
    .default(100)
    .describe('Maximum number of requests to a host between two general pauses'),
  generalPause: seconds('Seconds that an IP address rests after every batch', 300),
  wait: seconds('Extra seconds to wait after every request, for debugging', 0, 3_600),
  batches: z.int().min(0).default(0).describe('Stop after this many batches; 0 = no limit'),
  contact: z
    .string()
    .max(500)
    .regex(
      /^(?:(?:https?:\/\/|mailto:)[!-'*-~]+|[!-'*-?A-~]+@[!-'*-?A-~]+)?$/i,
      'must be a page (https://example.org/robot) or a mailbox (robot@example.org)',
    )
    .default('')
    .describe(
      'Page or mailbox where server administrators can reach you; sent in the User-Agent of every request',
    ),
  agent: z
    .string()
    .regex(/^[A-Za-z][\w-]{0,49}$/, 'must be a name of up to 50 letters, _ and -')
    .default('PismakRobot')
    .describe("The robot's name, in the User-Agent and in robots.txt"),
  allowPrivate: z.boolean().default(false).describe('Contact loopback and private addresses too'),
  language: z
    .array(z.string().regex(/^[a-z]{2,3}$/, 'must be language codes such as cs,sk'))
    .max(50)
    .default([])
    .describe('Wanted languages; pages in other languages get usability 0; empty: all languages'),
  main: z
    .boolean()
    .default(true)
    .describe('Keep only the main text of pages; false: keep menus, advertisements and comments too'),
  duplicates: z
    .boolean()
    .default(false)
    .describe('Keep copies and near copies of texts that the corpus already has'),
  versions: z
    .enum(['latest', 'all'])
    .default('latest')
    .describe('Which versions of a changed page go into the corpus'),
  recrawl: z
    .number()
    .min(0)
    .max(3_650)
    .default(0)
    .describe(
      'Days until a page is visited again; adapts to how often the page changes; 0 = visit pages once',
    ),
  segmenter: z
    .union([z.literal(''), z.url({ protocol: /^https?$/ })])
    .default('')
    .describe('URL of a service that measures usability and language instead of the built-in segmenter'),
  scans: z
    .string()
    .max(200)
    .default('')
    .describe('Pipeline that reads PDF files without text, page by page; empty: such files have no text'),
  text: z.boolean().default(true).describe('Clean and segment pages; false: only crawl and archive'),
  encoding: z.enum(['utf-8', 'iso-8859-2']).default('utf-8').describe('Encoding of the plain text'),
  warc: z.boolean().default(true).describe('Keep every answer in WARC files'),
  pageTimeout: z.number().min(1).max(600).default(30).describe('Timeout for fetching a page, in seconds'),
  pageLimitMb: z
    .number()
    .min(0.01)
    .max(1_000)
    .default(5)
    .describe('Maximum size of a page; the rest is cut off'),
  retryDelay: seconds('Seconds until a page that failed temporarily is tried again; doubles each time', 60),
  blockFor: seconds('Seconds to leave a host alone after 429 or 503; doubles each time, up to a day', 60),
  attempts: z
    .int()
    .min(1)
    .max(20)
    .default(3)
    .describe('Maximum number of attempts for a page that fails temporarily'),
} as const;

/** A crawl's options without its seeds. */
export const crawlOptions = z.strictObject(crawlOptionFields);

export const crawlDefinition = z.strictObject({
  ...crawlOptionFields,
  seeds: z.array(z.string().min(1).max(8_000)).min(1).max(100_000).describe('URLs to start from'),
  resolve: z
    .record(z.string().max(255), z.array(z.string().max(50)).max(16))
    .default({})
    .describe('IP addresses of hosts, used instead of the DNS'),
});
export type CrawlDefinition = z.output<typeof crawlDefinition>;

const fallbacks = crawlOptions.parse({});

/** Reads a stored definition. Options that are newer than the crawl have their defaults. */
export function readDefinition(stored: string): CrawlDefinition {
  return { ...fallbacks, ...(JSON.parse(stored) as CrawlDefinition) };
}

export function rulesOf(
  options: Pick<CrawlDefinition, 'reqDelay' | 'maxHosts' | 'maxReqs' | 'generalPause'>,
): Rules {
  return {
    reqDelayMs: Math.round(options.reqDelay * 1000),
    maxHosts: options.maxHosts,
    maxReqs: options.maxReqs,
    generalPauseMs: Math.round(options.generalPause * 1000),
  };
}

export function userAgent({ agent, contact }: Pick<CrawlDefinition, 'agent' | 'contact'>): string {
  return contact === '' ? `${agent}/1.0` : `${agent}/1.0 (+${contact})`;
}
