import type { Visit } from './plan.ts';

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

/** Marks the target of a redirect in `allLinks`: it has the depth of the page itself. */
export const redirectMark = '>';

/** What the keeper learns from a visit. */
export interface VisitResult {
  domain: number;
  path: string;
  kind: Visit['kind'];
  depth: number;
  /** Attempts before this one. */
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
  /** What its links inherit: its usability, or if it is a list of links, that of the page before. */
  parent?: number;
  /** It has hardly any running text. */
  isList?: boolean;
  /** Its links were not followed, because it is the second useless page in a row. */
  isNotFollowed?: boolean;
  /** The language of each document of the page; a mailbox has many documents. */
  languages?: string[];
  etag?: string;
  lastModified?: string;
  /** The host wants to be left alone (429, 503), or seems to be down. */
  slowDown?: { retryAfterMs?: number; isDown?: boolean };
  /** Links that the harvester has not reported before. */
  links?: FoundLink[];
  /** Every link of the page, if the crawl has a limit of depth: a shorter way to the page may be found later. */
  allLinks?: string[];
  /** robots.txt was redirected to this URL on another host, which the keeper must ask. */
  robotsAt?: string;
  /** The text of robots.txt; empty if there is none, absent if it could not be fetched. */
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

/** What the keeper must get back to plan the visit after this one. */
export function againOf({ isRevisit, revisitMs }: Visit): Pick<VisitResult, 'isRevisit' | 'revisitMs'> {
  return {
    ...(isRevisit !== undefined && { isRevisit }),
    ...(revisitMs !== undefined && { revisitMs }),
  };
}

export interface ScoutResult {
  domain: number;
  addresses: string[];
  /** Why there are no addresses: `no address`, `private address`. */
  problem?: string;
  /** The DNS did not answer; ask again later. */
  isTemporary?: boolean;
}

/** What a harvester has found out since its last report. */
export interface Findings {
  visits: VisitResult[];
  scouted?: ScoutResult[];
  /** Milliseconds spent, by activity. */
  spent?: Record<string, number>;
}

/** A report as it is stored for the keeper. */
export interface Report extends Findings {
  /** The segment with the pages. */
  segment?: number;
  /** The batch is over. */
  ended?: boolean;
}

/** Makes a report from findings that are JSON already. */
export function reportLine(
  findings: string,
  { segment, ended }: { segment: number | undefined; ended: boolean },
): string {
  return `{"ended":${ended},${segment === undefined ? '' : `"segment":${segment},`}${findings.slice(1)}`;
}
