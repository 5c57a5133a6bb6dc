import type { Generated } from 'kysely';
import type { Database as EngineDatabase, Queries as EngineQueries } from '../../engine/database/database.ts';

/** The engine's database with this house's tables. */
export type Database = EngineDatabase<RobotTables>;
export type Queries = EngineQueries<RobotTables>;

export function robotDatabase({ database }: { database: EngineDatabase }): Database {
  return database.withTables<RobotTables>();
}

/** States of a request in the frontier. */
export const requestState = {
  queued: 0,
  /** In a batch that is not finished. */
  batched: 1,
  done: 2,
  failed: 3,
  /** Forbidden by robots.txt. Checked again when the rules change. */
  disallowed: 4,
  /** Failed for now, tried again after `notBefore`. */
  later: 5,
} as const;

export interface RobotTables {
  robot_crawl: CrawlRow;
  robot_domain: DomainRow;
  robot_request: RequestRow;
  robot_links: { domain: number; path: string; links: string };
  robot_address: AddressRow;
  robot_interest: { address: string; crawl: number };
  robot_batch: BatchRow;
  robot_result: { id: Generated<number>; crawl: number; batch: string; results: string };
  robot_segment: SegmentRow;
  robot_harvester: HarvesterRow;
  robot_scan: ScanRow;
}

export interface CrawlRow {
  id: string;
  /** Decides the ids of its domains: see `domainIds`. */
  number: number;
  owner: string;
  name: string;
  state: 'new' | 'running' | 'paused' | 'stopped' | 'finished';
  /** `CrawlDefinition` as JSON. */
  options: string;
  /** `CrawlStatistics` as JSON, written by the keeper. */
  statistics: string;
  /** The fence of the keeper that wrote last; older keepers write nothing. */
  fence: number;
  createdAt: number;
  startedAt: number | null;
  finishedAt: number | null;
}

/** The ids of a crawl's domains lie in [from, to). */
export function domainIds(crawl: number): { from: number; to: number } {
  return { from: crawl * 2 ** 32, to: (crawl + 1) * 2 ** 32 };
}

export interface DomainRow {
  id: number;
  crawl: number;
  /** `https://www.example.cz`, with the port unless it is the default. */
  origin: string;
  host: string;
  /** `new` needs a scout, `ready` can be planned, `lost` has no usable address. */
  state: 'new' | 'ready' | 'lost';
  /** JSON list of IP addresses; the first one is contacted. */
  addresses: string;
  resolvedAt: number;
  /** Text of robots.txt. Null until it was fetched; empty allows everything. */
  robots: string | null;
  robotsAt: number;
  /** Milliseconds, from robots.txt; 0 if it sets none. */
  crawlDelayMs: number;
  blockedUntil: number;
  /** `level` of `SlowDown`. */
  blockLevel: number;
  queued: number;
  fetched: number;
  /** Clean words and downloaded bytes: together they tell how useful the domain is. */
  words: number;
  bytes: number;
  meanMs: number;
  problem: string | null;
  /** What tdmrep.json reserves, as rules of robots.txt: `Disallow` is reserved. Null or empty: nothing. */
  tdm: string | null;
  tdmAt: number;
}

export interface RequestRow {
  domain: number;
  path: string;
  /** `page`, or `robots` for the rules of another domain whose robots.txt was redirected here. */
  kind: string;
  depth: number;
  /** Lower comes first. */
  rank: number;
  /** Usability of the page that the link is on; 1 for seeds. */
  parent: number;
  state: number;
  attempts: number;
  /** How many times a shorter way was found. */
  corrected: number;
  /** How many redirects led here. */
  hops: number;
  /** The address that was redirected here. */
  via: string | null;
  notBefore: number;
  batch: string | null;
  status: number | null;
  usability: number | null;
  fetchedAt: number | null;
  segment: number | null;
  /** How it ended, for `robot explain`. */
  outcome: string | null;
  etag: string | null;
  lastModified: string | null;
  /** Fingerprint of the text that was stored last. */
  exact: string | null;
  /** Interval between two visits; 0 if the page is visited once. `notBefore` is when the next one is due. */
  revisitMs: number;
}

/** Addresses belong to the cluster, not to a crawl. */
export interface AddressRow {
  address: string;
  /** The batch that holds it; null if none does. */
  batch: string | null;
  restsUntil: number;
  /** When its last batch ended: the next crawl may have a longer pause. */
  endedAt: number;
  /** The crawl that used it last: crawls that meet here take turns. */
  lastCrawl: number | null;
}

export interface BatchRow {
  id: string;
  crawl: number;
  kind: 'harvest' | 'scout';
  state: 'offered' | 'claimed' | 'ended';
  /** `BatchPlan` or the domains to resolve, as JSON. */
  plan: string;
  addresses: string;
  harvester: string | null;
  /** Counts reports and renewals of the harvester. If it stays the same for the lease, the keeper takes the batch back. */
  renewals: number;
  createdAt: number;
  requests: number;
}

/** The harvesters of a process that runs, or ran a moment ago. */
export interface HarvesterRow {
  process: string;
  host: string;
  /** Threads that somebody asked for, 0 = auto; null = as the settings say. */
  wanted: number | null;
  threads: number;
  batches: number;
  inFlight: number;
  /** The share of time that its threads are busy. */
  busy: number;
  seenAt: number;
}

/** A page of a file without text that a pipeline has not read yet. */
export interface ScanRow {
  /** UUID of the request to the pipeline. */
  uuid: string;
  crawl: number;
  pipeline: string;
  /** The owner of the crawl: pages count against this user's limits. */
  owner: string;
  /** What is known about the document, as JSON. */
  document: string;
  /** From 1. */
  page: number;
  blob: string;
  state: 'new' | 'sent';
  notBefore: number;
}

export interface SegmentRow {
  id: Generated<number>;
  crawl: number;
  blob: string;
  size: number;
  /** Name and length of each part of the blob, in order, as JSON. */
  parts: string;
  pages: number;
  createdAt: number;
}
