import { chunks } from '../../engine/ground/chunks.ts';
import { PismakError } from '../../engine/ground/errors.ts';
import { newId } from '../../engine/ground/identity.ts';
import type { Clock } from '../../engine/time/clock.ts';
import { checkExpressions } from '../crawl/expression.ts';
import { readDefinition } from '../crawl/options.ts';
import { type CrawlStatistics, noStatistics } from '../crawl/statistics.ts';
import { type Queries, requestState } from '../database/tables.ts';
import { splitUrl } from '../text/url/split-url.ts';
import { BatchesUnderWay } from './batches-under-way.ts';
import { rest } from './claim-addresses.ts';
import { Domains } from './domains.ts';
import { mostAddedAtOnce, type NewRequest, openFrontier } from './frontier.ts';
import type { KeeperContext, KeeperState } from './keeper-state.ts';
import { ResultMerger } from './merge-results.ts';
import { BatchPlanner } from './plan-batches.ts';
import { restAfter } from './rest-after.ts';
import { acceptedSeeds } from './seeds.ts';
import { Undo } from './undo.ts';

/** A batch counts as lost a little later than its harvester stops, because clocks don't run at the same speed. */
const leaseMargin = 1.1;

interface OpenBatch {
  renewals: number;
  /** When this keeper first saw that number of renewals, on a clock that never jumps. */
  seenAt: number;
  state: 'offered' | 'claimed';
  harvester: string | null;
}

/**
 * The queuekeeper of one crawl: owns its frontier, plans batches, merges their results. One is elected in the cluster. All of its state is in
 * the Database, and each transaction first checks that no later keeper has written, so a deposed keeper changes nothing.
 *
 * A batch is
 *
 * - `offered` once it is planned: it holds its addresses and requests, and waits for a harvester;
 * - `claimed` by one harvester, which renews it with each report. A batch without renewals for the lease is *lost*: the keeper takes it back;
 * - `ended` for the rest of the transaction that takes it back, or that *withdraws* an offered batch because the crawl no longer runs.
 *
 * It also ends with the report that says so. Its row then goes, the requests it still holds are queued again, and its addresses rest.
 *
 * A request is `queued`, `batched` while a batch holds it, then `done`, `failed`, `disallowed` by robots.txt, or `later` until its next attempt.
 * `disallowed` ones are queued again when the rules change, `done` ones when a revisit is due.
 */
export class Keeper {
  readonly #state: KeeperState;
  readonly #fence: number;
  readonly #merger: ResultMerger;
  readonly #planner: BatchPlanner;
  readonly #batches: BatchesUnderWay;
  readonly #open = new Map<string, OpenBatch>();
  #revisitsAt = 0;
  #describedAt = 0;
  /** The number of batches at which the option `batches` stops the crawl; a crawl that is resumed then makes as many again. */
  readonly #batchesEnd: number;

  private constructor(state: KeeperState, fence: number) {
    this.#state = state;
    const { batches } = state.options;
    this.#batchesEnd = batches * (1 + Math.floor(state.statistics.batches / Math.max(1, batches)));
    this.#fence = fence;
    this.#merger = new ResultMerger(state);
    this.#batches = new BatchesUnderWay(state.undo);
    this.#planner = new BatchPlanner(state, this.#batches);
  }

  static async open(context: KeeperContext, id: string, fence: number): Promise<Keeper> {
    const { database } = context;
    // First of all: an earlier keeper that is still writing finishes before we read, or changes nothing.
    await database.transaction((transaction) => takeOver(transaction, id, fence));
    const crawl = await database.query
      .selectFrom('robot_crawl')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    const undo = new Undo();
    const domains = new Domains(Number(crawl.number), database.dialect, undo);
    await domains.load(database.query);
    const later = await database.query
      .selectFrom('robot_request')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('state', '=', requestState.later)
      .where('domain', '>=', domains.from)
      .where('domain', '<', domains.to)
      .executeTakeFirstOrThrow();
    return new Keeper(
      {
        ...context,
        crawl: { ...crawl, number: Number(crawl.number) },
        options: readDefinition(crawl.options),
        statistics: { ...noStatistics(), ...(JSON.parse(crawl.statistics) as CrawlStatistics) },
        domains,
        undo,
        frontier: openFrontier(database.dialect),
        meanMs: 200,
        later: Number(later.count),
        unanswered: { share: 0, of: 0 },
      },
      fence,
    );
  }

  get statistics(): CrawlStatistics {
    return this.#state.statistics;
  }

  /** Whether hardly any server answers, which suggests that our own network is down. */
  get isCutOff(): boolean {
    const { share, of } = this.#state.unanswered;
    return of >= 100 && share > 0.9;
  }

  /**
   * One round: merges reports, takes back lost batches, plans new ones. Resolves to the milliseconds until the next round, to `finished`
   * when nothing is left, or to `stopped` when it has planned as many batches as it may. Throws `UnusableExpression` if the crawl can't run
   * with its expressions; batches of a crawl that doesn't run are taken back nevertheless.
   */
  async round(): Promise<number | 'finished' | 'stopped'> {
    const merged = await this.#merge();
    const isRunning = await this.#isRunning();
    await this.#followBatches(isRunning);
    if (!isRunning) return merged > 0 ? 0 : 250;
    checkExpressions(this.#state.options);
    if (this.#state.domains.size === 0) await this.#plantSeeds();
    await this.#wakeLater();
    await this.#wakeRevisits();
    const { domains, statistics, options } = this.#state;
    const left = options.batches > 0 ? this.#batchesEnd - statistics.batches - this.#open.size : mostOffered;
    const planned = left > 0 ? await this.#plan(left) : 0;
    if (merged > 0) return 0;
    if (this.#open.size > 0 || planned > 0) return this.#planner.nextDueMs();
    if (domains.busy().size === 0 && this.#state.later === 0 && options.recrawl === 0) {
      this.#describedAt = 0;
      await this.#fenced(async () => {});
      return 'finished';
    }
    return left > 0 ? this.#planner.nextDueMs() : 'stopped';
  }

  async #isRunning(): Promise<boolean> {
    const { database, crawl } = this.#state;
    const row = await database.query
      .selectFrom('robot_crawl')
      .select('state')
      .where('id', '=', crawl.id)
      .executeTakeFirst();
    return row?.state === 'running';
  }

  async #plantSeeds(): Promise<void> {
    const { domains, frontier, options, crawl } = this.#state;
    // Before the transaction, which others would wait for.
    const seeds = await acceptedSeeds(options, crawl.owner);
    await this.#fenced(async (transaction) => {
      for (const some of chunks(seeds, mostAddedAtOnce)) {
        const requests = some.map((seed): NewRequest => {
          const { origin, host, path } = splitUrl(seed);
          const { id } = domains.findOrCreate(origin, host);
          return { domain: id, path, kind: 'page', depth: 0, parent: 1, hops: 0, via: null };
        });
        await domains.save(transaction);
        const { added } = await frontier.add(transaction, requests);
        domains.addQueued(added);
      }
    });
  }

  /** Runs the work and saves what has changed in memory, in one transaction that fails if a later keeper has written. */
  async #fenced<T>(work: (transaction: Queries) => Promise<T>): Promise<T> {
    const { database, crawl, domains, statistics, clock, undo } = this.#state;
    const run = async (transaction: Queries) => {
      // This may be the second attempt.
      undo.rollBack();
      this.#remember();
      await takeOver(transaction, crawl.id, this.#fence);
      const result = await work(transaction);
      await domains.save(transaction);
      this.#describe(statistics, clock.now());
      await transaction
        .updateTable('robot_crawl')
        .set({ statistics: JSON.stringify(statistics) })
        .where('id', '=', crawl.id)
        .execute();
      return result;
    };
    try {
      const result = await database.transaction(run);
      undo.keep();
      return result;
    } catch (error) {
      undo.rollBack();
      throw error;
    }
  }

  #remember(): void {
    const state = this.#state;
    const { meanMs, later } = state;
    const statistics = structuredClone(state.statistics);
    state.undo.record(() => Object.assign(state, { meanMs, later }));
    state.undo.record(() => Object.assign(state.statistics, statistics));
  }

  /** Addresses and the queue are counted at most once a second. */
  #describe(statistics: CrawlStatistics, now: number): void {
    const { domains, later } = this.#state;
    statistics.at = now;
    statistics.domains = domains.size;
    if (now - this.#describedAt < 1_000 && now >= this.#describedAt) return;
    this.#describedAt = now;
    statistics.addresses = this.#batches.count(domains.all(), now);
    statistics.queued = later;
    for (const { queued } of domains.all()) statistics.queued += queued;
  }

  /** Merges waiting reports; resolves to their number. */
  async #merge(): Promise<number> {
    const { database, crawl } = this.#state;
    const reports = await database.query
      .selectFrom('robot_result')
      .selectAll()
      .where('crawl', '=', crawl.number)
      .orderBy('id')
      .limit(20)
      .execute();
    if (reports.length === 0) return 0;
    // Delete exactly these: on PostgreSQL, a report with a smaller id may be committed after one with a larger id was read.
    const read = reports.map(({ id }) => id);
    const ended = await this.#fenced(async (transaction) => {
      const done = await this.#merger.merge(transaction, reports);
      for (const batch of done) await this.#endBatch(transaction, batch);
      await transaction.deleteFrom('robot_result').where('id', 'in', read).execute();
      return done;
    });
    for (const batch of ended) this.#open.delete(batch);
    return reports.length;
  }

  /** Queues again what was not visited, and lets the addresses rest. */
  async #endBatch(transaction: Queries, batch: string): Promise<void> {
    const { frontier, domains, statistics, clock } = this.#state;
    domains.addQueued(await frontier.release(transaction, batch));
    const now = clock.now();
    if (!this.#batches.knows(batch)) {
      const rows = await transaction
        .selectFrom('robot_batch')
        .select(['id', 'kind', 'plan', 'addresses'])
        .where('id', '=', batch)
        .execute();
      for (const row of rows) this.#batches.adopt(row);
    }
    const restsUntil = await restAfter(this.#state, transaction, { batches: this.#batches, batch, now });
    await rest(transaction, batch, now, restsUntil);
    const [row] = await transaction
      .deleteFrom('robot_batch')
      .where('id', '=', batch)
      .returning('kind')
      .execute();
    this.#batches.end(batch);
    // Scouting fetches nothing.
    if (row?.kind === 'harvest') statistics.batches++;
  }

  /** Notes which batches are claimed and renewed, and takes back those that are lost. */
  async #followBatches(isRunning: boolean): Promise<void> {
    const { database, crawl, clock, mayLive, leaseMs, log, statistics } = this.#state;
    // The last request may have begun at the very end of the lease.
    const requestMs = this.#state.options.pageTimeout * 1000;
    const now = upNow(clock);
    const rows = await database.query
      .selectFrom('robot_batch')
      .select(['id', 'state', 'renewals', 'harvester', 'addresses', 'kind', 'plan'])
      .where('crawl', '=', crawl.number)
      .execute();
    const present = new Set(rows.map(({ id }) => id));
    for (const id of this.#open.keys()) if (!present.has(id)) this.#open.delete(id);
    for (const row of rows) {
      if (row.state === 'ended') continue;
      const renewals = Number(row.renewals);
      const known = this.#open.get(row.id);
      if (!known) this.#batches.adopt(row);
      if (!known || known.renewals !== renewals || known.state !== row.state)
        this.#open.set(row.id, { renewals, seenAt: now, state: row.state, harvester: row.harvester });
      if (row.state === 'offered' && !isRunning) await this.#withdraw(row.id);
      if (row.state !== 'claimed') continue;
      const silentMs = now - (this.#open.get(row.id)?.seenAt ?? now);
      const isDead = row.harvester !== null && !mayLive(row.harvester);
      if (!isDead && silentMs <= leaseMargin * leaseMs + requestMs) continue;
      const lost = await this.#fenced(async (transaction) => {
        // A report that comes at this very moment is refused, or saves the batch.
        const { numUpdatedRows } = await transaction
          .updateTable('robot_batch')
          .set({ state: 'ended' })
          .where('id', '=', row.id)
          .where('renewals', '=', row.renewals)
          .executeTakeFirst();
        if (Number(numUpdatedRows) === 0) return false;
        const unread = await transaction
          .selectFrom('robot_result')
          .selectAll()
          .where('batch', '=', row.id)
          .orderBy('id')
          .execute();
        await this.#merger.merge(transaction, unread);
        await transaction.deleteFrom('robot_result').where('batch', '=', row.id).execute();
        await this.#endBatch(transaction, row.id);
        statistics.lostBatches++;
        return true;
      });
      if (!lost) continue;
      this.#open.delete(row.id);
      log.warn(
        { crawl: crawl.name, batch: row.id, harvester: row.harvester },
        'a batch was lost; its pages are queued again',
      );
    }
  }

  /** Takes back a batch of a crawl that no longer runs, unless a harvester has claimed it. */
  async #withdraw(batch: string): Promise<void> {
    await this.#fenced(async (transaction) => {
      const { numUpdatedRows } = await transaction
        .updateTable('robot_batch')
        .set({ state: 'ended' })
        .where('id', '=', batch)
        .where('state', '=', 'offered')
        .executeTakeFirst();
      if (Number(numUpdatedRows) > 0) await this.#endBatch(transaction, batch);
    });
    this.#open.delete(batch);
  }

  async #wakeLater(): Promise<void> {
    if (this.#state.later === 0) return;
    const { frontier, domains, clock } = this.#state;
    const woken = await this.#fenced(async (transaction) => {
      const counts = await frontier.wake(transaction, {
        from: domains.from,
        to: domains.to,
        now: clock.now(),
      });
      domains.addQueued(counts);
      return counts;
    });
    for (const count of woken.values()) this.#state.later -= count;
  }

  /** Queues pages whose next visit is due. */
  async #wakeRevisits(): Promise<void> {
    const { frontier, domains, clock, options } = this.#state;
    const now = clock.now();
    if (options.recrawl === 0 || now - this.#revisitsAt < revisitLookMs) return;
    const { from, to } = domains;
    const count = await this.#fenced(async (transaction) => {
      const due = await frontier.revisit(transaction, { from, to, now });
      domains.addQueued(due);
      return due.size;
    });
    if (count === 0) this.#revisitsAt = now;
  }

  async #plan(most: number): Promise<number> {
    const { clock } = this.#state;
    let planned = 0;
    const offered = () => [...this.#open.values()].filter(({ state }) => state === 'offered').length;
    while (offered() < mostOffered && planned < most && this.#planner.hasCandidates()) {
      const id = newId(clock);
      if (!(await this.#fenced((transaction) => this.#planner.plan(transaction, id)))) break;
      this.#open.set(id, { renewals: 0, seenAt: upNow(clock), state: 'offered', harvester: null });
      planned++;
    }
    return planned;
  }
}

/** A clock for leases: the time of day may be set while batches are under way. */
function upNow(clock: Clock): number {
  return clock.uptime?.() ?? clock.now();
}

/** Keeps earlier keepers from writing; fails if a later keeper has written. */
async function takeOver(transaction: Queries, id: string, fence: number): Promise<void> {
  const mine = await transaction
    .updateTable('robot_crawl')
    .set({ fence })
    .where('id', '=', id)
    .where('fence', '<=', fence)
    .returning('id')
    .execute();
  if (mine.length === 0)
    throw new PismakError('hold-lost', `another queuekeeper has taken over crawl ${id}, or it was deleted`);
}

const revisitLookMs = 1_000;
/** Maximum number of batches on offer; few, because they hold their addresses while they wait. */
const mostOffered = 4;
