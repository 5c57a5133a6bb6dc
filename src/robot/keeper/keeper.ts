import type { Logger } from 'pino';
import { PismakError } from '../../engine/errors.ts';
import { newId, type Random } from '../../engine/identity.ts';
import type { Clock } from '../../engine/time/clock.ts';
import { type CrawlDefinition, readDefinition, rulesOf } from '../crawl/options.ts';
import { type CrawlStatistics, noStatistics } from '../crawl/statistics.ts';
import { type CrawlRow, type Database, type Queries, requestState } from '../database/tables.ts';
import type { Robots } from '../text/robots-rules.ts';
import { rest } from './claim-addresses.ts';
import { Domains } from './domains.ts';
import { type Frontier, openFrontier } from './frontier.ts';
import { ResultMerger } from './merge-results.ts';
import { BatchPlanner } from './plan-batches.ts';
import { seedRequests } from './seeds.ts';
import { Undo } from './undo.ts';

/** What a keeper works with. */
export interface KeeperParts {
  database: Database;
  clock: Clock;
  random: Random;
  log: Logger;
  /** Whether a harvester may still be at work. Where one process does everything, those of an earlier one are dead. */
  mayLive(harvester: string): boolean;
  /** A harvester that reports nothing for this long stops. */
  leaseMs: number;
  /** Parsed robots.txt. */
  parseRobots(text: string): Robots;
}

/** Everything that the parts of one keeper share. */
export interface KeeperState extends KeeperParts {
  readonly crawl: Pick<CrawlRow, 'id' | 'number' | 'name' | 'owner'>;
  readonly options: CrawlDefinition;
  readonly domains: Domains;
  readonly frontier: Frontier;
  readonly statistics: CrawlStatistics;
  /** Puts back what a transaction changed here. */
  readonly undo: Undo;
  /** Mean milliseconds per request, over the whole crawl. */
  meanMs: number;
  /** Requests that wait for a later attempt. */
  later: number;
  /** The share of the latest requests that got no answer at all, and how many requests that is about. */
  unanswered: { share: number; of: number };
  /** Told when a domain has new rules. */
  robotsChanged?(domain: number): void;
}

/** A batch is lost a little later than its harvester stops, because clocks don't run at the same speed. */
const leaseMargin = 1.1;

interface OpenBatch {
  renewals: number;
  /** When this keeper saw that number first, on a clock that never jumps. */
  seenAt: number;
  state: 'offered' | 'claimed';
  harvester: string | null;
}

/**
 * The queuekeeper of one crawl: owns its frontier, plans batches, takes in their results. One is elected in the cluster; all of its state is in
 * the Database, and each transaction first checks that no later keeper has written, so a deposed one changes nothing.
 */
export class Keeper {
  readonly #state: KeeperState;
  readonly #fence: number;
  readonly #merger: ResultMerger;
  readonly #planner: BatchPlanner;
  readonly #open = new Map<string, OpenBatch>();
  #revisitsAt = 0;
  /** Where `batches` stops it: a crawl that was stopped there and is resumed makes as many again. */
  readonly #batchesEnd: number;

  private constructor(state: KeeperState, fence: number) {
    this.#state = state;
    const { batches } = state.options;
    this.#batchesEnd = batches * (1 + Math.floor(state.statistics.batches / Math.max(1, batches)));
    this.#fence = fence;
    this.#merger = new ResultMerger(state);
    this.#planner = new BatchPlanner(state);
  }

  static async open(parts: KeeperParts, id: string, fence: number): Promise<Keeper> {
    const { database } = parts;
    // First of all: an earlier keeper that still writes ends before we read, or changes nothing any more.
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
    const keeper = new Keeper(
      {
        ...parts,
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
    if (domains.size === 0) await keeper.#plantSeeds();
    return keeper;
  }

  get statistics(): CrawlStatistics {
    return this.#state.statistics;
  }

  /** Whether hardly any server answers, which says more about our network than about theirs. */
  get isCutOff(): boolean {
    const { share, of } = this.#state.unanswered;
    return of >= 100 && share > 0.9;
  }

  /**
   * One round: takes in what harvesters reported, takes back lost batches, plans new ones. Resolves to when the next round is due, or to
   * `finished` when nothing is left, or to `stopped` when it has planned as many batches as it may.
   */
  async round(): Promise<number | 'finished' | 'stopped'> {
    const merged = await this.#merge();
    const isRunning = await this.#isRunning();
    await this.#followBatches(isRunning);
    if (!isRunning) return merged > 0 ? 0 : 250;
    await this.#wakeLater();
    await this.#wakeRevisits();
    const { domains, statistics, options } = this.#state;
    const left = options.batches > 0 ? this.#batchesEnd - statistics.batches - this.#open.size : mostOffered;
    const planned = left > 0 ? await this.#plan(left) : 0;
    if (merged > 0) return 0;
    if (this.#open.size > 0 || planned > 0) return this.#planner.nextDueMs();
    if (domains.busy().size === 0 && this.#state.later === 0 && options.recrawl === 0) {
      this.#planner.forgetDescription();
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
    const { domains, frontier, options } = this.#state;
    await this.#fenced(async (transaction) => {
      const requests = await seedRequests(options, (origin, host) => domains.findOrCreate(origin, host));
      await domains.save(transaction);
      const { added } = await frontier.add(transaction, requests);
      domains.addQueued(added);
    });
  }

  /** Runs the work and writes what memory knows better, in one transaction that a later keeper forbids. */
  async #fenced<T>(work: (transaction: Queries) => Promise<T>): Promise<T> {
    const { database, crawl, domains, statistics, clock, undo } = this.#state;
    const run = async (transaction: Queries) => {
      // It may be the second attempt.
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

  #describe(statistics: CrawlStatistics, now: number): void {
    statistics.at = now;
    statistics.domains = this.#state.domains.size;
    this.#planner.describe(statistics, now);
  }

  /** Takes in waiting reports; resolves to how many. */
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
    // Exactly these: on PostgreSQL a report with a smaller id may be committed after one with a larger id was read.
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

  /** What was not visited waits again, and the addresses rest. */
  async #endBatch(transaction: Queries, batch: string): Promise<void> {
    const { frontier, domains, statistics, clock } = this.#state;
    domains.addQueued(await frontier.release(transaction, batch));
    const now = clock.now();
    if (!this.#planner.knows(batch)) {
      const rows = await transaction
        .selectFrom('robot_batch')
        .select(['id', 'kind', 'plan', 'addresses'])
        .where('id', '=', batch)
        .execute();
      for (const row of rows) this.#planner.adopt(row);
    }
    await rest(transaction, batch, now, await this.#planner.restAfter(transaction, batch, now));
    const [row] = await transaction
      .deleteFrom('robot_batch')
      .where('id', '=', batch)
      .returning('kind')
      .execute();
    this.#planner.ended(batch);
    // Scouting fetches nothing.
    if (row?.kind === 'harvest') statistics.batches++;
  }

  /** Looks which batches were claimed, which are still reported on, and takes back those that are lost. */
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
      if (!known) this.#planner.adopt(row);
      if (!known || known.renewals !== renewals || known.state !== row.state)
        this.#open.set(row.id, { renewals, seenAt: now, state: row.state, harvester: row.harvester });
      if (row.state === 'offered' && !isRunning) await this.#withdraw(row.id);
      if (row.state !== 'claimed') continue;
      const silentMs = now - (this.#open.get(row.id)?.seenAt ?? now);
      const isDead = row.harvester !== null && !mayLive(row.harvester);
      if (!isDead && silentMs <= leaseMargin * leaseMs + requestMs) continue;
      const lost = await this.#fenced(async (transaction) => {
        // A report that comes at this moment loses, or saves the batch.
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
        'a batch was lost; its pages wait again',
      );
    }
  }

  /** A batch of a crawl that was paused or stopped, if nobody has it yet. */
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

  /** Pages whose next visit is due. */
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
    const { clock, options } = this.#state;
    let planned = 0;
    const offered = () => [...this.#open.values()].filter(({ state }) => state === 'offered').length;
    while (offered() < mostOffered && planned < most && this.#planner.hasCandidates()) {
      const id = newId(clock);
      const batch = await this.#fenced((transaction) =>
        this.#planner.plan(transaction, id, rulesOf(options)),
      );
      if (!batch) break;
      this.#open.set(id, { renewals: 0, seenAt: upNow(clock), state: 'offered', harvester: null });
      planned++;
    }
    return planned;
  }
}

/** Somebody may set the time of day while batches are under way. */
function upNow(clock: Clock): number {
  return clock.uptime?.() ?? clock.now();
}

/** Keeps earlier keepers from writing; fails if a later one has written. */
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
/** Batches that wait for a harvester hold their addresses, so there are few of them. */
const mostOffered = 4;
