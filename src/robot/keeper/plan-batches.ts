import { type BatchPlan, robotsPath, type ScoutPlan, type Stop, tdmPath, type Visit } from '../batch/plan.ts';
import { readDefinition, rulesOf } from '../crawl/options.ts';
import { addError, type CrawlStatistics } from '../crawl/statistics.ts';
import { type BatchRow, type Queries, type RequestRow, requestState } from '../database/tables.ts';
import { planRows, type WaitingHost } from '../politeness/plan-rows.ts';
import { type Rules, strictest } from '../politeness/rules.ts';
import { forgivenAfterMs } from '../politeness/slow-down.ts';
import { claim, enlist, giveBack } from './claim-addresses.ts';
import type { Domain } from './domains.ts';
import type { KeeperState } from './keeper.ts';
import { SiteRules } from './site-rules.ts';
import { visitOf, withoutVisit } from './visits.ts';

const scoutedAtOnce = 200;
const candidatesAtOnce = 2_000;
/** Addresses and rules are asked for again after a day. */
const freshMs = 24 * 60 * 60_000;
/** How long an address that another crawl holds is left out before we look again. */
const takenMs = 1_000;

/** Makes batches for scouts and harvesters. A harvester that carries one out can't break a rule. */
export class BatchPlanner {
  readonly #state: KeeperState;
  /** Domains of batches that are not over. */
  readonly #batches = new Map<string, { domains: number[]; addresses: string[] }>();
  readonly #occupied = new Set<number>();
  /** Until when an address rests; infinite while it is in a batch. A hint: the table decides. */
  readonly #notBefore = new Map<string, number>();
  /** Where another crawl with stricter rules meets us. */
  readonly #strict = new Map<string, Rules>();
  readonly #rules: SiteRules;
  #describedAt = 0;

  constructor(state: KeeperState) {
    this.#state = state;
    this.#rules = new SiteRules((text) => state.parseRobots(text));
    state.robotsChanged = (domain) => this.#rules.forget(domain);
  }

  hasCandidates(): boolean {
    return this.#state.domains.busy().size > 0;
  }

  /** Takes note of a batch that an earlier keeper planned. */
  adopt(row: Pick<BatchRow, 'id' | 'kind' | 'plan' | 'addresses'>): void {
    const plan = JSON.parse(row.plan) as BatchPlan & ScoutPlan;
    const domains =
      row.kind === 'scout'
        ? plan.domains.map(({ domain }) => domain)
        : plan.rows.flatMap((stops) => stops.map(({ domain }) => domain));
    this.#began(row.id, domains, JSON.parse(row.addresses) as string[]);
  }

  ended(batch: string): void {
    const known = this.#batches.get(batch);
    if (!known) return;
    this.#state.undo.record(() => this.#began(batch, known.domains, known.addresses));
    this.#end(batch);
  }

  knows(batch: string): boolean {
    return this.#batches.has(batch);
  }

  /**
   * A batch is over: resolves to when each of its addresses may be contacted again. The delay between two requests to a host holds from
   * one batch to the next, too. A host with a long delay waits for itself; the others on its address need not.
   */
  async restAfter(transaction: Queries, batch: string, now: number): Promise<(address: string) => number> {
    const { domains, options } = this.#state;
    const rules = rulesOf(options);
    const { domains: ids, addresses } = this.#batches.get(batch) ?? { domains: [], addresses: [] };
    await this.#meetOthers(transaction, addresses, rules);
    /** Where the whole address waits: for the sake of other crawls, or because a host's own waiting is about its trouble. */
    const longest = new Map<string, number>();
    for (const id of addresses.length > 0 ? new Set(ids) : []) {
      const domain = domains.get(id);
      const delayMs = this.#delayOf(domain, this.#boundOf(domain.addresses, rules));
      if (delayMs <= rules.generalPauseMs) continue;
      const isMet = domain.addresses.some((address) => this.#strict.has(address));
      // The same host with and without TLS.
      const origins = new Set([domain.origin, `http://${domain.host}`, `https://${domain.host}`]);
      const same = [...origins].flatMap((origin) => domains.find(origin) ?? []);
      if (isMet || same.some((each) => each.blockLevel > 0 && now <= each.blockedUntil + forgivenAfterMs))
        for (const address of domain.addresses)
          longest.set(address, Math.max(delayMs, longest.get(address) ?? 0));
      else for (const each of same) domains.change(each, { blockLevel: 0, blockedUntil: now + delayMs });
    }
    return (address) => {
      const { generalPauseMs, reqDelayMs } = this.#strict.get(address) ?? rules;
      const until = now + Math.max(generalPauseMs, reqDelayMs, longest.get(address) ?? 0);
      this.#notBefore.set(address, until);
      return until;
    };
  }

  /** The rules of this crawl, and of those that it meets on these addresses. */
  #boundOf(addresses: readonly string[], rules: Rules): Rules {
    return strictest([rules, ...addresses.flatMap((address) => this.#strict.get(address) ?? [])]);
  }

  /** Plans one batch and stores it; undefined if there is nothing to do at the moment. */
  async plan(transaction: Queries, id: string, rules: Rules): Promise<string | undefined> {
    return (await this.#planScout(transaction, id)) ?? (await this.#planHarvest(transaction, id, rules));
  }

  async #planScout(transaction: Queries, id: string): Promise<string | undefined> {
    const { domains, clock } = this.#state;
    const now = clock.now();
    const wanted: ScoutPlan['domains'] = [];
    for (const domain of domains.busy()) {
      if (domain.state === 'ready' && now - domain.resolvedAt > freshMs)
        domains.change(domain, { state: 'new' });
      if (domain.state === 'lost') await this.#drop(transaction, domain);
      if (domain.state !== 'new' || domain.blockedUntil > now || this.#occupied.has(domain.id)) continue;
      wanted.push({ domain: domain.id, host: domain.host });
      if (wanted.length >= scoutedAtOnce) break;
    }
    if (wanted.length === 0) return undefined;
    const plan: ScoutPlan = { domains: wanted };
    await this.#store(transaction, {
      id,
      kind: 'scout',
      plan: JSON.stringify(plan),
      addresses: [],
      requests: 0,
    });
    this.#begin(
      id,
      wanted.map(({ domain }) => domain),
      [],
    );
    return id;
  }

  /** Links to a domain that was given up lead nowhere. */
  async #drop(transaction: Queries, domain: Domain): Promise<void> {
    const { domains, frontier, statistics } = this.#state;
    const { queued, failed } = requestState;
    const problem = domain.problem ?? 'no address';
    const count = await frontier.change(transaction, domain.id, queued, failed, `failed: ${problem}`);
    if (count > 0) addError(statistics, problem, count);
    domains.change(domain, { queued: 0 });
  }

  async #planHarvest(transaction: Queries, id: string, rules: Rules): Promise<string | undefined> {
    const { domains, clock, crawl, meanMs } = this.#state;
    const now = clock.now();
    const candidates = this.#candidates(now);
    if (candidates.length === 0) return undefined;
    await this.#meetOthers(
      transaction,
      candidates.flatMap(({ addresses }) => addresses),
      rules,
    );
    const byHost = Map.groupBy(candidates, ({ host }) => host);
    const waiting = [...byHost.values()].map((sameHost) => this.#waitingHost(sameHost, rules, now));
    const shares = planRows(waiting, { meanMs });
    const chosen = shares.flat().flatMap(({ host }) => byHost.get(host) ?? []);
    const wanted = [...new Set(chosen.flatMap(({ addresses }) => addresses))];
    // Others must know that we come, even if nothing waited here when this crawl was resumed.
    await enlist(transaction, crawl.number, wanted);
    const claimed = new Set<string>();
    const pauseOf = (address: string) => (this.#strict.get(address) ?? rules).generalPauseMs;
    for (const [pauseMs, addresses] of Map.groupBy(wanted, pauseOf))
      for (const address of await claim(transaction, {
        addresses,
        batch: id,
        crawl: crawl.number,
        now,
        pauseMs,
      }))
        claimed.add(address);
    for (const address of wanted) if (!claimed.has(address)) this.#notBefore.set(address, now + takenMs);

    const rows: Stop[][] = [];
    for (const row of shares) {
      const stops: Stop[] = [];
      for (const { host, count } of row) {
        let left = count;
        for (const domain of byHost.get(host) ?? []) {
          if (left < 1 || !domain.addresses.every((address) => claimed.has(address))) continue;
          const stop = await this.#stopAt(transaction, id, domain, { left, now, rules });
          left -= stop.visits.length;
          if (stop.visits.length > 0) stops.push(stop);
        }
      }
      if (stops.length > 0) rows.push(stops);
    }
    const contacted = new Set(rows.flat().flatMap(({ domain }) => domains.get(domain).addresses));
    const unused = [...claimed].filter((address) => !contacted.has(address));
    await giveBack(transaction, id, unused);
    if (rows.length === 0) return undefined;
    const plan: BatchPlan = { rules, rows };
    const requests = rows.flat().reduce((sum, { visits }) => sum + visits.length, 0);
    const addresses = [...contacted];
    await this.#store(transaction, { id, kind: 'harvest', plan: JSON.stringify(plan), addresses, requests });
    this.#begin(
      id,
      rows.flat().map(({ domain }) => domain),
      addresses,
    );
    return id;
  }

  /** Domains that may be contacted now, the best first: much text for few bytes, and fast answers. */
  #candidates(now: number): Domain[] {
    const found: Domain[] = [];
    for (const domain of this.#state.domains.busy()) {
      if (domain.state !== 'ready' || domain.blockedUntil > now || this.#occupied.has(domain.id)) continue;
      if (domain.addresses.some((address) => (this.#notBefore.get(address) ?? 0) > now)) continue;
      found.push(domain);
      if (found.length >= candidatesAtOnce) break;
    }
    return found.sort((a, b) => scoreOf(b) - scoreOf(a));
  }

  /** Milliseconds until some domain may be contacted that may not be now; at most a quarter of a second. */
  nextDueMs(): number {
    const now = this.#state.clock.now();
    let due = now + 250;
    for (const domain of this.#state.domains.busy()) {
      if (this.#occupied.has(domain.id)) continue;
      const from = domain.addresses.reduce(
        (latest, address) => Math.max(latest, this.#notBefore.get(address) ?? 0),
        domain.blockedUntil,
      );
      if (from > now) due = Math.min(due, from);
    }
    return Math.max(1, due - now);
  }

  #waitingHost(domains: readonly Domain[], rules: Rules, now: number): WaitingHost {
    const [first] = domains as [Domain];
    const addresses = [...new Set(domains.flatMap((domain) => domain.addresses))];
    const bound = this.#boundOf(addresses, rules);
    const queued = domains.reduce(
      (sum, domain) => sum + domain.queued + Number(needsRobots(domain, now)) + Number(needsTdm(domain, now)),
      0,
    );
    const delayMs = Math.max(...domains.map((domain) => this.#delayOf(domain, bound)));
    return { host: first.host, addresses, queued, delayMs, maxHosts: bound.maxHosts, maxReqs: bound.maxReqs };
  }

  /** Slow hosts get more time: an answer that took long is followed by a pause as long. */
  #delayOf(domain: Domain, rules: Rules): number {
    if (rules.reqDelayMs === 0 && domain.crawlDelayMs === 0) return 0;
    const slowMs = domain.meanMs > 2_000 ? Math.min(domain.meanMs, 30_000) : 0;
    return Math.round(Math.max(rules.reqDelayMs, domain.crawlDelayMs, slowMs));
  }

  async #stopAt(
    transaction: Queries,
    batch: string,
    domain: Domain,
    { left, now, rules }: { left: number; now: number; rules: Rules },
  ): Promise<Stop> {
    const { domains, frontier } = this.#state;
    const bound = this.#boundOf(domain.addresses, rules);
    const visits: Visit[] = [];
    if (needsRobots(domain, now))
      visits.push({ path: robotsPath, kind: 'robots', depth: 0, parent: 1, hops: 0, attempts: 0 });
    if (needsTdm(domain, now) && visits.length < left)
      visits.push({ path: tdmPath, kind: 'tdm', depth: 0, parent: 1, hops: 0, attempts: 0 });
    const { robots, tdm } = await this.#rules.of(transaction, domain);
    const held: RequestRow[] = [];
    while (visits.length < left) {
      const rows = await frontier.next(transaction, domain.id, left - visits.length);
      if (rows.length === 0) break;
      const isAllowed = (row: RequestRow) => {
        if (row.kind === 'robots') return row.path !== robotsPath;
        return !robots || robots.isAllowed(this.#state.options.agent, row.path);
      };
      const [allowed, others] = [rows.filter(isAllowed), rows.filter((row) => !isAllowed(row))];
      await frontier.hold(transaction, batch, allowed);
      held.push(...allowed);
      visits.push(...allowed.map(visitOf));
      domains.change(domain, { queued: domain.queued - rows.length });
      if (others.length === 0) break;
      await frontier.end(
        transaction,
        others.map((row) => withoutVisit(row)),
      );
      this.#state.statistics.disallowed += others.filter(({ kind }) => kind === 'page').length;
    }
    const [address = ''] = domain.addresses;
    const { id, origin, host } = domain;
    const delayMs = this.#delayOf(domain, bound);
    const limits = { delayMs, atOnce: bound.maxHosts, most: bound.maxReqs };
    return { domain: id, origin, host, address, ...limits, ...(tdm !== '' && { tdm }), visits };
  }

  /** Where other running crawls have domains too, both keep to the stricter rules. */
  async #meetOthers(transaction: Queries, contacted: readonly string[], rules: Rules): Promise<void> {
    const { crawl } = this.#state;
    const addresses = [...new Set(contacted)];
    this.#strict.clear();
    const others = await transaction
      .selectFrom('robot_crawl')
      .select(['number', 'options'])
      .where('state', '=', 'running')
      .where('number', '<>', crawl.number)
      .execute();
    if (others.length === 0) return;
    const rulesByCrawl = new Map(
      others.map(({ number, options }) => [Number(number), rulesOf(readDefinition(options))]),
    );
    for (let start = 0; start < addresses.length; start += 500) {
      const met = await transaction
        .selectFrom('robot_interest')
        .select(['address', 'crawl'])
        .where('address', 'in', addresses.slice(start, start + 500))
        .where('crawl', 'in', [...rulesByCrawl.keys()])
        .execute();
      for (const row of met) {
        const theirs = rulesByCrawl.get(Number(row.crawl));
        if (theirs)
          this.#strict.set(row.address, strictest([this.#strict.get(row.address) ?? rules, theirs]));
      }
    }
  }

  async #store(
    transaction: Queries,
    batch: Pick<BatchRow, 'id' | 'kind' | 'plan' | 'requests'> & { addresses: string[] },
  ): Promise<void> {
    const { crawl, clock, log } = this.#state;
    if (log.isLevelEnabled('debug'))
      for (const line of contentsOf(batch))
        log.debug({ crawl: crawl.name, batch: batch.id, ...line }, 'robot: batch planned');
    await transaction
      .insertInto('robot_batch')
      .values({
        ...batch,
        crawl: crawl.number,
        state: 'offered',
        harvester: null,
        renewals: 0,
        createdAt: clock.now(),
        addresses: JSON.stringify(batch.addresses),
      })
      .execute();
  }

  /** Of a batch that this transaction makes. */
  #begin(batch: string, domains: number[], addresses: string[]): void {
    this.#state.undo.record(() => {
      this.#end(batch);
      for (const address of addresses) this.#notBefore.delete(address);
    });
    this.#began(batch, domains, addresses);
  }

  #end(batch: string): void {
    for (const domain of this.#batches.get(batch)?.domains ?? []) this.#occupied.delete(domain);
    this.#batches.delete(batch);
  }

  #began(batch: string, domains: number[], addresses: string[]): void {
    this.#batches.set(batch, { domains, addresses });
    for (const domain of domains) this.#occupied.add(domain);
    for (const address of addresses) this.#notBefore.set(address, Number.POSITIVE_INFINITY);
  }

  /** The next description is made anew, however soon it comes. */
  forgetDescription(): void {
    this.#describedAt = 0;
  }

  /** Counts addresses by state, at most once a second. */
  describe(statistics: CrawlStatistics, now: number): void {
    if (now - this.#describedAt < 1_000 && now >= this.#describedAt) return;
    this.#describedAt = now;
    const active = new Set([...this.#batches.values()].flatMap(({ addresses }) => addresses));
    const waiting = new Set<string>();
    const all = new Set<string>();
    let queued = this.#state.later;
    for (const domain of this.#state.domains.all()) {
      queued += domain.queued;
      for (const address of domain.addresses) {
        all.add(address);
        if (domain.queued > 0) waiting.add(address);
      }
    }
    const counts = { waiting: 0, active: 0, resting: 0, done: 0 };
    for (const address of all) {
      if (active.has(address)) counts.active++;
      else if ((this.#notBefore.get(address) ?? 0) > now) counts.resting++;
      else if (waiting.has(address)) counts.waiting++;
      else counts.done++;
    }
    statistics.addresses = counts;
    statistics.queued = queued;
  }
}

/** What a batch contains, a line for each domain. */
function contentsOf({ kind, plan }: Pick<BatchRow, 'kind' | 'plan'>): object[] {
  if (kind === 'scout')
    return [{ resolve: (JSON.parse(plan) as ScoutPlan).domains.map(({ host }) => host).join(' ') }];
  return (JSON.parse(plan) as BatchPlan).rows.flatMap((stops, row) =>
    stops.map(({ origin, address, visits }) => ({
      row,
      origin,
      address,
      paths: visits.map(({ path }) => path).join(' '),
    })),
  );
}

function needsRobots(domain: Domain, now: number): boolean {
  return now - domain.robotsAt > freshMs;
}

function needsTdm(domain: Domain, now: number): boolean {
  return now - domain.tdmAt > freshMs;
}

/** New domains come first: nobody knows yet how good they are. */
function scoreOf({ fetched, words, bytes, meanMs }: Domain): number {
  if (fetched < 3) return 1;
  return ((words + 1) / (bytes + 1_000)) * (100 / (meanMs + 100));
}
