import type { Rules } from '../politeness/rules.ts';

/** One request of a batch. */
export interface Visit {
  path: string;
  /** `robots` at any path but `robotsPath` asks for the rules of another site, whose robots.txt was redirected there. */
  kind: 'page' | 'robots' | 'tdm';
  depth: number;
  /** Usability of the page with the link. */
  parent: number;
  hops: number;
  attempts: number;
  via?: string;
  etag?: string;
  lastModified?: string;
  /** It was fetched before. */
  isRevisit?: boolean;
  /** When its answer was last stored. */
  storedAt?: number;
  /** Fingerprint of the text that was last stored. */
  exact?: string;
  /** The planned interval between the previous visit and this one. */
  revisitMs?: number;
}

/** The requests of a batch to one domain, made one after another unless the domain has no delay. */
export interface Stop {
  domain: number;
  origin: string;
  host: string;
  /** The IP address to contact, even if the DNS has changed since. */
  address: string;
  delayMs: number;
  /** Maximum concurrency of the address; default: `maxHosts` of the rules. */
  atOnce?: number;
  /** Maximum number of requests to the host in this batch, planned or not; default: `maxReqs` of the rules. */
  most?: number;
  /** What tdmrep.json reserves, as rules of robots.txt. */
  tdm?: string;
  visits: Visit[];
}

/** Work of a harvester: a table of stops, filled by rows and read by columns. */
export interface BatchPlan {
  rules: Rules;
  rows: Stop[][];
}

/** Work of a scout: look up the addresses of these domains. */
export interface ScoutPlan {
  domains: { domain: number; host: string }[];
}

/** Where a site keeps its rules. */
export const robotsPath = '/robots.txt';

/** Where a site reserves text and data mining for all of its pages (TDMRep). */
export const tdmPath = '/.well-known/tdmrep.json';
