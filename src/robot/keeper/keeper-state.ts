import type { Logger } from 'pino';
import type { Random } from '../../engine/ground/identity.ts';
import type { Clock } from '../../engine/time/clock.ts';
import type { CrawlDefinition } from '../crawl/options.ts';
import { addError, type CrawlStatistics } from '../crawl/statistics.ts';
import { type CrawlRow, type Database, type Queries, requestState } from '../database/tables.ts';
import type { Robots } from '../text/robots-rules.ts';
import type { Domain, Domains } from './domains.ts';
import type { Frontier } from './frontier.ts';
import type { Undo } from './undo.ts';

/** What a keeper gets from its process. */
export interface KeeperContext {
  database: Database;
  clock: Clock;
  random: Random;
  log: Logger;
  /** Whether a harvester may still be at work. Where one process does everything, harvesters of earlier processes are dead. */
  mayLive(harvester: string): boolean;
  /** A harvester that reports nothing for this long stops. */
  leaseMs: number;
  parseRobots(text: string): Robots;
}

/** What the parts of one keeper share. */
export interface KeeperState extends KeeperContext {
  readonly crawl: Pick<CrawlRow, 'id' | 'number' | 'name' | 'owner'>;
  readonly options: CrawlDefinition;
  readonly domains: Domains;
  readonly frontier: Frontier;
  readonly statistics: CrawlStatistics;
  /** Puts back what a failed transaction changed here. */
  readonly undo: Undo;
  /** Mean milliseconds per request, over the whole crawl. */
  meanMs: number;
  /** Requests that wait for a later attempt. */
  later: number;
  /** The share of the latest requests that got no answer at all, and how many requests that is about. */
  unanswered: { share: number; of: number };
  /** Called when a domain has new rules. */
  robotsChanged?(domain: number): void;
}

/** Everything that waits for a domain fails. */
export async function failQueued(
  { domains, frontier, statistics }: KeeperState,
  transaction: Queries,
  domain: Domain,
  problem: string,
): Promise<void> {
  const { queued, failed } = requestState;
  const count = await frontier.change(transaction, domain.id, queued, failed, `failed: ${problem}`);
  if (count > 0) addError(statistics, problem, count);
  domains.change(domain, { queued: 0 });
}
