import { type BatchPlan, robotsPath, type ScoutPlan, type Stop, tdmPath, type Visit } from '../batch/plan.ts';
import { rulesOf } from '../crawl/options.ts';
import type { BatchRow, Queries, RequestRow } from '../database/tables.ts';
import { planRows, type WaitingHost } from '../politeness/plan-rows.ts';
import type { Rules } from '../politeness/rules.ts';
import type { BatchesUnderWay } from './batches-under-way.ts';
import { claim, enlist, giveBack } from './claim-addresses.ts';
import { type Domain, delayOf, freshMs, needsRobots, needsTdm } from './domains.ts';
import { failQueued, type KeeperState } from './keeper-state.ts';
import { MetCrawls } from './met-crawls.ts';
import { SiteRules } from './site-rules.ts';
import { visitOf, withoutVisit } from './visits.ts';

const scoutedAtOnce = 200;
const candidatesAtOnce = 2_000;
/** How long the planner ignores an address that another crawl holds. */
const takenMs = 1_000;

/** Plans batches for scouts and harvesters. A harvester that carries one out can't break a rule. */
export class BatchPlanner {
  readonly #state: KeeperState;
  readonly #batches: BatchesUnderWay;
  readonly #siteRules: SiteRules;

  constructor(state: KeeperState, batches: BatchesUnderWay) {
    this.#state = state;
    this.#batches = batches;
    this.#siteRules = new SiteRules((text) => state.parseRobots(text));
    state.robotsChanged = (domain) => this.#siteRules.forget(domain);
  }

  hasCandidates(): boolean {
    return this.#state.domains.busy().size > 0;
  }

  /** Plans one batch and stores it; false if there is nothing to do at the moment. */
  async plan(transaction: Queries, id: string): Promise<boolean> {
    return (await this.#planScout(transaction, id)) || (await this.#planHarvest(transaction, id));
  }

  async #planScout(transaction: Queries, id: string): Promise<boolean> {
    const { domains, clock } = this.#state;
    const now = clock.now();
    const wanted: ScoutPlan['domains'] = [];
    for (const domain of domains.busy()) {
      if (domain.state === 'ready' && now - domain.resolvedAt > freshMs)
        domains.change(domain, { state: 'new' });
      // New links to a domain that was given up lead nowhere.
      if (domain.state === 'lost')
        await failQueued(this.#state, transaction, domain, domain.problem ?? 'no address');
      if (domain.state !== 'new' || domain.blockedUntil > now || this.#batches.isOccupied(domain)) continue;
      wanted.push({ domain: domain.id, host: domain.host });
      if (wanted.length >= scoutedAtOnce) break;
    }
    if (wanted.length === 0) return false;
    const plan: ScoutPlan = { domains: wanted };
    await this.#store(transaction, {
      id,
      kind: 'scout',
      plan: JSON.stringify(plan),
      addresses: [],
      requests: 0,
    });
    this.#batches.begin(id, { domains: wanted.map(({ domain }) => domain), addresses: [] });
    return true;
  }

  async #planHarvest(transaction: Queries, id: string): Promise<boolean> {
    const { domains, clock, crawl, meanMs, options } = this.#state;
    const rules = rulesOf(options);
    const now = clock.now();
    const candidates = this.#candidates(now);
    if (candidates.length === 0) return false;
    const met = await MetCrawls.on(
      transaction,
      candidates.flatMap(({ addresses }) => addresses),
      { crawl: crawl.number, rules },
    );
    const byHost = Map.groupBy(candidates, ({ host }) => host);
    const waiting = [...byHost.values()].map((sameHost) => waitingHost(sameHost, met, now));
    const shares = planRows(waiting, { meanMs });
    const chosen = shares.flat().flatMap(({ host }) => byHost.get(host) ?? []);
    const wanted = [...new Set(chosen.flatMap(({ addresses }) => addresses))];
    // Other crawls must know that we contact these addresses, even if nothing waited here when this crawl was resumed.
    await enlist(transaction, crawl.number, wanted);
    const claimed = new Set<string>();
    const pauseOf = (address: string) => met.at(address).generalPauseMs;
    for (const [pauseMs, addresses] of Map.groupBy(wanted, pauseOf))
      for (const address of await claim(transaction, {
        addresses,
        batch: id,
        crawl: crawl.number,
        now,
        pauseMs,
      }))
        claimed.add(address);
    for (const address of wanted) if (!claimed.has(address)) this.#batches.rest(address, now + takenMs);

    const rows: Stop[][] = [];
    for (const row of shares) {
      const stops: Stop[] = [];
      for (const { host, count } of row) {
        let left = count;
        for (const domain of byHost.get(host) ?? []) {
          if (left < 1 || !domain.addresses.every((address) => claimed.has(address))) continue;
          const bound = met.rulesFor(domain.addresses);
          const stop = await this.#stopAt(transaction, id, domain, { left, now, rules: bound });
          left -= stop.visits.length;
          if (stop.visits.length > 0) stops.push(stop);
        }
      }
      if (stops.length > 0) rows.push(stops);
    }
    const contacted = new Set(rows.flat().flatMap(({ domain }) => domains.get(domain).addresses));
    const unused = [...claimed].filter((address) => !contacted.has(address));
    await giveBack(transaction, id, unused);
    if (rows.length === 0) return false;
    const plan: BatchPlan = { rules, rows };
    const requests = rows.flat().reduce((sum, { visits }) => sum + visits.length, 0);
    const addresses = [...contacted];
    await this.#store(transaction, { id, kind: 'harvest', plan: JSON.stringify(plan), addresses, requests });
    this.#batches.begin(id, { domains: rows.flat().map(({ domain }) => domain), addresses });
    return true;
  }

  /** Domains that may be contacted now, the best first: those with more text per byte and faster answers. */
  #candidates(now: number): Domain[] {
    const found: Domain[] = [];
    for (const domain of this.#state.domains.busy()) {
      if (domain.state !== 'ready' || domain.blockedUntil > now || this.#batches.isOccupied(domain)) continue;
      if (domain.addresses.some((address) => this.#batches.notBefore(address) > now)) continue;
      found.push(domain);
      if (found.length >= candidatesAtOnce) break;
    }
    return found.sort((a, b) => scoreOf(b) - scoreOf(a));
  }

  /** Milliseconds until another domain may be contacted; at most a quarter of a second. */
  nextDueMs(): number {
    const now = this.#state.clock.now();
    let due = now + 250;
    for (const domain of this.#state.domains.busy()) {
      if (this.#batches.isOccupied(domain)) continue;
      const from = domain.addresses.reduce(
        (latest, address) => Math.max(latest, this.#batches.notBefore(address)),
        domain.blockedUntil,
      );
      if (from > now) due = Math.min(due, from);
    }
    return Math.max(1, due - now);
  }

  async #stopAt(
    transaction: Queries,
    batch: string,
    domain: Domain,
    { left, now, rules }: { left: number; now: number; rules: Rules },
  ): Promise<Stop> {
    const { domains, frontier } = this.#state;
    const visits: Visit[] = [];
    if (needsRobots(domain, now))
      visits.push({ path: robotsPath, kind: 'robots', depth: 0, parent: 1, hops: 0, attempts: 0 });
    if (needsTdm(domain, now) && visits.length < left)
      visits.push({ path: tdmPath, kind: 'tdm', depth: 0, parent: 1, hops: 0, attempts: 0 });
    const { robots, tdm } = await this.#siteRules.of(transaction, domain);
    const held: RequestRow[] = [];
    while (visits.length < left) {
      const rows = await frontier.next(transaction, domain.id, left - visits.length);
      if (rows.length === 0) break;
      const isAllowed = (row: RequestRow) => {
        if (row.kind === 'robots') return row.path !== robotsPath;
        return !robots || robots.isAllowed(this.#state.options.agent, row.path);
      };
      const [allowed, others] = await divideInSlices(rows, isAllowed);
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
    const limits = { delayMs: delayOf(domain, rules), atOnce: rules.maxHosts, most: rules.maxReqs };
    return { domain: id, origin, host, address, ...limits, ...(tdm !== '' && { tdm }), visits };
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
}

/** The main thread goes on with other things after this time. */
const sliceMs = 10;

/** Those that pass and those that don't. A site may have very many rules for very long paths, which takes milliseconds for each. */
async function divideInSlices<T>(items: readonly T[], passes: (item: T) => boolean): Promise<[T[], T[]]> {
  const divided: [T[], T[]] = [[], []];
  let until = performance.now() + sliceMs;
  for (const item of items) {
    divided[passes(item) ? 0 : 1].push(item);
    if (performance.now() < until) continue;
    await new Promise((resolve) => setImmediate(resolve));
    until = performance.now() + sliceMs;
  }
  return divided;
}

/** The contents of a batch, one entry for each domain. */
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

function waitingHost(domains: readonly Domain[], met: MetCrawls, now: number): WaitingHost {
  const [first] = domains as [Domain];
  const addresses = [...new Set(domains.flatMap((domain) => domain.addresses))];
  const rules = met.rulesFor(addresses);
  const queued = domains.reduce(
    (sum, domain) => sum + domain.queued + Number(needsRobots(domain, now)) + Number(needsTdm(domain, now)),
    0,
  );
  const delayMs = Math.max(...domains.map((domain) => delayOf(domain, rules)));
  return { host: first.host, addresses, queued, delayMs, maxHosts: rules.maxHosts, maxReqs: rules.maxReqs };
}

/** New domains come first: they have to be tried. */
function scoreOf({ fetched, words, bytes, meanMs }: Domain): number {
  if (fetched < 3) return 1;
  return ((words + 1) / (bytes + 1_000)) * (100 / (meanMs + 100));
}
