import type { Rules } from '../politeness/rules.ts';

/** One request of a batch. */
export interface Visit {
  path: string;
  kind: 'page' | 'robots' | 'tdm';
  depth: number;
  /** Usability of the page that the link is on. */
  parent: number;
  hops: number;
  attempts: number;
  via?: string;
  etag?: string;
  lastModified?: string;
  /** It was fetched before. */
  isRevisit?: boolean;
  /** When its answer was stored, if no other came since; and the fingerprint of its text. */
  storedAt?: number;
  exact?: string;
  /** How long ago that was meant to be. */
  revisitMs?: number;
}

/** What the keeper needs to know again to plan the visit after this one. */
export function againOf({ isRevisit, revisitMs }: Visit): Pick<VisitResult, 'isRevisit' | 'revisitMs'> {
  return {
    ...(isRevisit !== undefined && { isRevisit }),
    ...(revisitMs !== undefined && { revisitMs }),
  };
}

/** Requests to one domain, one after the other. */
export interface Stop {
  domain: number;
  origin: string;
  host: string;
  /** The address that is contacted, whatever the DNS says meanwhile. */
  address: string;
  delayMs: number;
  /** Requests at once on the address; `maxHosts` of the rules if it is absent. */
  atOnce?: number;
  /** Requests to the host in this batch, planned or not; `maxReqs` of the rules if it is absent. */
  most?: number;
  /** What tdmrep.json reserves, as rules of robots.txt. */
  tdm?: string;
  visits: Visit[];
}

/** What a harvester does: rows of stops, filled by rows and read by columns. */
export interface BatchPlan {
  rules: Rules;
  rows: Stop[][];
}

/** What a scout does: finds the addresses of these domains. */
export interface ScoutPlan {
  domains: { domain: number; host: string }[];
}

/** Before the target of a redirect among `allLinks`: it is as near as the page itself. */
export const redirectMark = '>';

/** How a visit ended. `postponed`: the request says nothing about the page; another one follows. */
export type Outcome =
  | 'stored'
  | 'unchanged'
  | 'redirected'
  | 'disallowed'
  | 'not-kept'
  | 'failed'
  | 'later'
  | 'postponed';

export interface FoundLink {
  url: string;
  depth: number;
  parent: number;
  hops?: number;
  via?: string;
}

/** What the keeper learns of a visit. */
export interface VisitResult {
  domain: number;
  path: string;
  kind: Visit['kind'];
  depth: number;
  /** Before this one. */
  attempts: number;
  outcome: Outcome;
  /** In a word or two: `http 404`, `timeout`, `noindex`. */
  reason?: string;
  status?: number;
  at: number;
  ms: number;
  bytes: number;
  textBytes?: number;
  words?: number;
  sentences?: number;
  usability?: number;
  /** What its links inherit: its usability or, of a list of links, that of the page before. */
  parent?: number;
  /** It has hardly any running text. */
  isList?: boolean;
  /** It is the second useless page in a row. */
  isNotFollowed?: boolean;
  /** Of each document that the page has: a mailbox has many. */
  languages?: string[];
  etag?: string;
  lastModified?: string;
  /** The host wants to be left alone (429, 503), or seems to be down. */
  slowDown?: { retryAfterMs?: number; isDown?: boolean };
  /** Only those that the harvester has not told before. */
  links?: FoundLink[];
  /** Every link of the page, if the crawl has a limit of depth: a shorter way may be found later. */
  allLinks?: string[];
  /** robots.txt was redirected to another host, which the keeper must ask. */
  robotsAt?: string;
  /** The text of robots.txt; empty if there is none. Absent if it could not be fetched. */
  robots?: string;
  crawlDelayMs?: number;
  /** What tdmrep.json reserves, as rules of robots.txt; absent if it could not be fetched. */
  tdm?: string;
  /** Fingerprint of the page's text. */
  exact?: string;
  /** As in the visit. */
  revisitMs?: number;
  isRevisit?: boolean;
}

export interface ScoutResult {
  domain: number;
  addresses: string[];
  /** Why there is none: `no address`, `private address`. */
  problem?: string;
  /** The DNS did not answer; ask again later. */
  isTemporary?: boolean;
}

/** What a harvester found out. */
export interface Findings {
  visits: VisitResult[];
  scouted?: ScoutResult[];
  /** Milliseconds spent, by activity. */
  spent?: Record<string, number>;
}

/** One report of a harvester. */
export interface Report extends Findings {
  /** Where the pages are stored. */
  segment?: number;
  /** The batch is over. */
  ended?: boolean;
}

/** Findings are in JSON already. */
export function reportLine(
  findings: string,
  { segment, ended }: { segment: number | undefined; ended: boolean },
): string {
  return `{"ended":${ended},${segment === undefined ? '' : `"segment":${segment},`}${findings.slice(1)}`;
}

/** Where a site has its rules. A visit for `robots` elsewhere is for another site, whose robots.txt was redirected there. */
export const robotsPath = '/robots.txt';

/** What a Crawl-delay in seconds asks for; nobody waits longer than an hour. */
export const crawlDelayMs = (seconds = 0) => Math.min(seconds, 3_600) * 1000;

/** Where a site says for all of its pages whether text and data mining is reserved (TDMRep). */
export const tdmPath = '/.well-known/tdmrep.json';
