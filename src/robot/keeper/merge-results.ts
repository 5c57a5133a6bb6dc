import { chunks } from '../../engine/ground/chunks.ts';
import { robotsPath } from '../batch/plan.ts';
import {
  type FoundLink,
  type Report,
  redirectMark,
  type ScoutResult,
  type VisitResult,
} from '../batch/report.ts';
import { countVisit } from '../crawl/statistics.ts';
import { type Queries, requestState } from '../database/tables.ts';
import { crawlDelayMs } from '../politeness/rules.ts';
import { slowDown } from '../politeness/slow-down.ts';
import { splitUrl } from '../text/url/split-url.ts';
import { enlist } from './claim-addresses.ts';
import { type Domain, freshMs } from './domains.ts';
import { type EndedRequest, keyOf, mostAddedAtOnce, type NewRequest } from './frontier.ts';
import { failQueued, type KeeperState } from './keeper-state.ts';
import { nextInterval } from './revisit-interval.ts';

const tdmRetryMs = 10 * 60_000;
const mostSameTexts = 20;
/** Folders of translations and mirrors have the same list of files, but each list leads to other pages. */
const mostSameLists = 1_000;
const textsRemembered = 200_000;

/** Merges the reports of harvesters and scouts into the frontier. */
export class ResultMerger {
  readonly #state: KeeperState;
  /** Counts pages of a domain with the same text; a hint that may be lost with the keeper. */
  readonly #sameTexts = new Map<string, number>();

  constructor(state: KeeperState) {
    this.#state = state;
  }

  /** Merges reports in order; resolves to the batches that have ended. */
  async merge(
    transaction: Queries,
    reports: readonly { batch: string; results: string }[],
  ): Promise<string[]> {
    const { statistics, frontier, domains, options } = this.#state;
    const ended: string[] = [];
    const down = new Set<Domain>();
    const requests: EndedRequest[] = [];
    const found: { visit: VisitResult; links: FoundLink[] }[] = [];
    const linkRows: { domain: number; path: string; links: string }[] = [];
    for (const { batch, results } of reports) {
      // A report may have megabytes, and there are up to twenty: the main thread does other things in between.
      await new Promise((resolve) => setImmediate(resolve));
      const report = JSON.parse(results) as Report;
      for (const result of report.scouted ?? []) await this.#takeScouted(transaction, result);
      for (const visit of report.visits) {
        countVisit(statistics, visit);
        if (visit.outcome === 'postponed') continue;
        if (visit.kind === 'robots' && visit.path !== robotsPath) {
          await this.#keepOthersRules(transaction, visit);
          continue;
        }
        if (visit.kind === 'robots') {
          await this.#takeRobots(transaction, visit);
          if (visit.links) found.push({ visit, links: visit.links });
          continue;
        }
        if (visit.kind === 'tdm') {
          await this.#takeTdm(transaction, visit);
          continue;
        }
        requests.push(this.#takeVisit(visit, report.segment ?? null));
        if (visit.slowDown?.isDown) down.add(domains.get(visit.domain));
        if (this.#isTrap(visit)) continue;
        if (visit.links) found.push({ visit, links: visit.links });
        if (visit.allLinks && visit.allLinks.length > 0)
          linkRows.push({ domain: visit.domain, path: visit.path, links: visit.allLinks.join('\n') });
      }
      for (const [activity, ms] of Object.entries(report.spent ?? {}))
        statistics.spent[activity] = Math.round((statistics.spent[activity] ?? 0) + ms);
      if (report.ended) ended.push(batch);
    }
    const depths = await frontier.end(transaction, requests);
    for (const domain of down)
      if (domain.blockLevel > options.attempts) await this.#lose(transaction, domain, 'does not answer');
    await this.#keepLinks(transaction, linkRows);
    const all: FoundLink[] = [];
    for (const { visit, links } of found) {
      for (const link of links) all.push(link);
      const depth = depths.get(keyOf(visit)) ?? visit.depth;
      // A shorter way to the page was found meanwhile, so its links are nearer than the harvester knew.
      if (depth < visit.depth)
        for (const link of deeper(visit.allLinks ?? [], depth, visit.parent ?? 1, options.depth))
          all.push(link);
    }
    await this.#offer(transaction, all);
    await domains.save(transaction);
    return ended;
  }

  /** Adds links to the frontier, and the links of pages that turn out to be nearer, until nothing changes. */
  async #offer(transaction: Queries, links: readonly FoundLink[]): Promise<void> {
    const { frontier, domains, options } = this.#state;
    let offered = links;
    while (offered.length > 0) {
      const corrected: { domain: number; path: string; depth: number }[] = [];
      for (const some of chunks(offered, mostAddedAtOnce)) {
        const requests: NewRequest[] = some.map((link) => {
          const { origin, host, path } = splitUrl(link.url);
          const { id } = domains.findOrCreate(origin, host);
          const { depth, parent, hops = 0, via = null } = link;
          return { domain: id, path, kind: 'page', depth, parent, hops, via };
        });
        const changed = await frontier.add(transaction, requests);
        domains.addQueued(changed.added);
        corrected.push(...changed.corrected);
      }
      this.#logLinks(offered);
      const nearer: FoundLink[] = [];
      for (const { domain, path, depth } of corrected) {
        const row = await transaction
          .selectFrom('robot_links')
          .select('links')
          .where('domain', '=', domain)
          .where('path', '=', path)
          .executeTakeFirst();
        for (const link of row ? deeper(row.links.split('\n'), depth, 1, options.depth) : [])
          nearer.push(link);
      }
      offered = nearer;
    }
  }

  #logLinks(links: readonly FoundLink[]): void {
    const { log, crawl } = this.#state;
    if (!log.isLevelEnabled('debug')) return;
    for (const { url, depth } of links) log.debug({ crawl: crawl.name, url, depth }, 'robot: link found');
  }

  async #keepLinks(
    transaction: Queries,
    rows: readonly { domain: number; path: string; links: string }[],
  ): Promise<void> {
    for (const some of chunks(rows, 200))
      await transaction
        .insertInto('robot_links')
        .values(some)
        .onConflict((conflict) =>
          conflict.columns(['domain', 'path']).doUpdateSet(({ ref }) => ({ links: ref('excluded.links') })),
        )
        .execute();
  }

  #takeVisit(visit: VisitResult, segment: number | null): EndedRequest {
    const { domains, options, clock } = this.#state;
    const domain = domains.get(visit.domain);
    const wasRequested = visit.outcome !== 'disallowed';
    if (wasRequested) {
      this.#countAnswer(visit.status !== undefined);
      this.#state.meanMs = 0.98 * this.#state.meanMs + 0.02 * visit.ms;
      domains.change(domain, {
        fetched: domain.fetched + 1,
        words: domain.words + (visit.usability ? (visit.words ?? 0) : 0),
        bytes: domain.bytes + visit.bytes,
        meanMs: domain.meanMs === 0 ? visit.ms : 0.9 * domain.meanMs + 0.1 * visit.ms,
      });
    }
    if (visit.slowDown) this.#block(domain, visit.slowDown.retryAfterMs);
    const attempts = visit.attempts + (wasRequested ? 1 : 0);
    let state: number = requestState.done;
    let notBefore = 0;
    if (visit.outcome === 'disallowed') state = requestState.disallowed;
    if (visit.outcome === 'failed') state = requestState.failed;
    if (visit.outcome === 'later') {
      if (attempts >= options.attempts) state = requestState.failed;
      else {
        state = requestState.later;
        notBefore = clock.now() + Math.round(options.retryDelay * 1000 * 2 ** (attempts - 1));
        this.#state.later++;
      }
    }
    const isDue = state === requestState.done && options.recrawl > 0;
    const revisitMs = isDue ? nextInterval(options.recrawl, intervalOf(visit)) : 0;
    if (isDue) notBefore = clock.now() + revisitMs;
    return {
      domain: visit.domain,
      path: visit.path,
      state,
      attempts,
      notBefore,
      segment,
      revisitMs,
      exact: visit.exact ?? null,
      status: visit.status ?? null,
      usability: visit.usability ?? null,
      fetchedAt: wasRequested ? visit.at : null,
      outcome: visit.reason === undefined ? visit.outcome : `${visit.outcome}: ${visit.reason}`,
      etag: visit.etag ?? null,
      lastModified: visit.lastModified ?? null,
    };
  }

  #countAnswer(isAnswered: boolean): void {
    const { unanswered } = this.#state;
    unanswered.of = Math.min(100, unanswered.of + 1);
    unanswered.share += (Number(!isAnswered) - unanswered.share) / unanswered.of;
  }

  #block(domain: Domain, retryAfterMs?: number): void {
    const { clock, random, domains, options } = this.#state;
    const before = { level: domain.blockLevel, until: domain.blockedUntil };
    const firstMs = options.blockFor * 1000;
    const { level, until } = slowDown(before, { now: clock.now(), firstMs, retryAfterMs, random });
    domains.change(domain, { blockLevel: level, blockedUntil: Math.round(until) });
  }

  async #takeRobots(transaction: Queries, visit: VisitResult): Promise<void> {
    const { domains, frontier, clock, statistics } = this.#state;
    const domain = domains.get(visit.domain);
    const text =
      visit.robots ??
      (visit.robotsAt ? await this.#robotsOf(transaction, domain, visit.robotsAt) : undefined);
    if (text === undefined) return this.#missRobots(transaction, domain, visit);
    await transaction.updateTable('robot_domain').set({ robots: text }).where('id', '=', domain.id).execute();
    const isRefresh = domain.robotsAt > 0;
    const { parseRobots, options } = this.#state;
    const elsewhere = visit.robotsAt ? crawlDelayMs(parseRobots(text).crawlDelay(options.agent)) : 0;
    const delayMs = visit.crawlDelayMs ?? elsewhere;
    domains.change(domain, { robotsAt: clock.now(), crawlDelayMs: delayMs, problem: null });
    this.#state.robotsChanged?.(domain.id);
    if (!isRefresh) return;
    // What was forbidden may be allowed now; what waits is checked when it is planned.
    const { disallowed, queued } = requestState;
    const count = await frontier.change(transaction, domain.id, disallowed, queued, null);
    statistics.disallowed -= count;
    domains.change(domain, { queued: domain.queued + count });
  }

  async #takeTdm(transaction: Queries, visit: VisitResult): Promise<void> {
    const { domains, clock } = this.#state;
    const domain = domains.get(visit.domain);
    if (visit.slowDown) this.#block(domain, visit.slowDown.retryAfterMs);
    if (visit.tdm === undefined) return domains.change(domain, { tdmAt: clock.now() - freshMs + tdmRetryMs });
    const { tdm } = visit;
    await transaction.updateTable('robot_domain').set({ tdm }).where('id', '=', domain.id).execute();
    domains.change(domain, { tdmAt: clock.now() });
    this.#state.robotsChanged?.(domain.id);
  }

  /** Whether very many pages of the domain have this text: their links lead to more of the same. */
  #isTrap({ domain, exact, words = 0, isList = false }: VisitResult): boolean {
    if (exact === undefined || words === 0) return false;
    const key = `${domain} ${exact}`;
    const count = (this.#sameTexts.get(key) ?? 0) + 1;
    if (this.#sameTexts.size >= textsRemembered) this.#sameTexts.clear();
    this.#sameTexts.set(key, count);
    return count > (isList ? mostSameLists : mostSameTexts);
  }

  /** The rules at another host to which robots.txt was redirected. If they are unknown, a request for them is queued. */
  async #robotsOf(transaction: Queries, domain: Domain, url: string): Promise<string | undefined> {
    const { domains, frontier } = this.#state;
    const { origin, host, path } = splitUrl(url);
    const other = domains.findOrCreate(origin, host);
    if (path !== robotsPath) {
      const [kept] = await transaction
        .deleteFrom('robot_links')
        .where('domain', '=', other.id)
        .where('path', '=', othersRules(path))
        .returning('links')
        .execute();
      if (kept) return kept.links;
    } else if (other.robotsAt > 0) {
      const row = await transaction
        .selectFrom('robot_domain')
        .select('robots')
        .where('id', '=', other.id)
        .executeTakeFirst();
      return row?.robots ?? '';
    }
    if (other.state === 'lost' || other.id === domain.id) return '';
    await domains.save(transaction);
    const request = { domain: other.id, path, kind: 'robots', depth: 0, parent: 1, hops: 0, via: null };
    domains.addQueued((await frontier.add(transaction, [request])).added);
    return undefined;
  }

  /** Keeps the rules of another site, whose robots.txt was redirected here, until that site is asked again. */
  async #keepOthersRules(transaction: Queries, visit: VisitResult): Promise<void> {
    const { domain, path, robots } = visit;
    await transaction
      .deleteFrom('robot_request')
      .where('domain', '=', domain)
      .where('path', '=', path)
      .where('kind', '=', 'robots')
      .execute();
    if (visit.slowDown) this.#block(this.#state.domains.get(domain), visit.slowDown.retryAfterMs);
    if (robots !== undefined)
      await this.#keepLinks(transaction, [{ domain, path: othersRules(path), links: robots }]);
  }

  /** Without rules, everything is forbidden for a while; after several attempts, the domain is given up. */
  async #missRobots(transaction: Queries, domain: Domain, visit: VisitResult): Promise<void> {
    const { domains, options, clock } = this.#state;
    this.#block(domain, visit.slowDown?.retryAfterMs);
    const isElsewhere = visit.robotsAt !== undefined;
    if (isElsewhere && domain.blockLevel < 5)
      return domains.change(domain, { blockedUntil: clock.now() + 1_000 + 1_000 * options.generalPause });
    if (domain.blockLevel >= options.attempts)
      await this.#lose(transaction, domain, `robots.txt: ${visit.reason ?? 'unreachable'}`);
  }

  async #lose(transaction: Queries, domain: Domain, problem: string): Promise<void> {
    await failQueued(this.#state, transaction, domain, problem);
    this.#state.domains.change(domain, { state: 'lost', problem });
  }

  async #takeScouted(transaction: Queries, result: ScoutResult): Promise<void> {
    const { domains, clock, crawl, options, log } = this.#state;
    const domain = domains.get(result.domain);
    const { addresses, problem } = result;
    if (addresses.length > 0) {
      await enlist(transaction, crawl.number, addresses);
      log.debug({ crawl: crawl.name, domain: domain.origin, addresses }, 'robot: domain enlisted');
      domains.change(domain, { state: 'ready', addresses, resolvedAt: clock.now(), problem: null });
      return;
    }
    if (result.isTemporary) {
      this.#block(domain);
      if (domain.blockLevel < options.attempts) return;
    }
    await this.#lose(transaction, domain, problem ?? 'no address');
  }
}

/** Where `robot_links` keeps rules for another site: no page has such a path. */
const othersRules = (path: string) => `robots.txt ${path}`;

function intervalOf({ revisitMs = 0, isRevisit = false, outcome }: VisitResult) {
  return { before: revisitMs, isRevisit, hasChanged: outcome === 'stored' };
}

/** The links of a page at this depth, within the limit of depth. */
function deeper(urls: readonly string[], depth: number, parent: number, limit: number): FoundLink[] {
  return urls.flatMap((url) => {
    if (url.startsWith(redirectMark)) return [{ url: url.slice(redirectMark.length), depth, parent }];
    return url === '' || (limit > 0 && depth + 1 > limit) ? [] : [{ url, depth: depth + 1, parent }];
  });
}
