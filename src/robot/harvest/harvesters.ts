import type { Logger } from 'pino';
import type { Blobs } from '../../engine/blobs/blobs.ts';
import type { DiskReserve } from '../../engine/disk/disk-reserve.ts';
import type { Running } from '../../engine/service/service.ts';
import type { Clock } from '../../engine/time/clock.ts';
import { WakeUp } from '../../engine/time/wake-up.ts';
import type { BatchPlan, ScoutPlan } from '../batch/plan.ts';
import { reportLine } from '../batch/report.ts';
import type { Database } from '../database/tables.ts';
import { addScans } from '../scans/scan-list.ts';
import { addSegment, segmentOwner } from '../segments/segment-list.ts';
import { claimBatch, renewBatch } from './claim-batch.ts';
import { divideBatch, sharesIn } from './divide-batch.ts';
import { givenUpReport } from './given-up-report.ts';
import type { HarvestThread, PageBudget, ThreadLoss } from './harvest-thread.ts';
import { monotonic } from './monotonic.ts';
import type { ThreadReport, ToThread } from './thread-messages.ts';
import { ThreadPool } from './thread-pool.ts';

export interface HarvestersContext {
  database: Database;
  blobs: Blobs;
  clock: Clock;
  disk: Pick<DiskReserve, 'isShort' | 'shortages'>;
  log: Logger;
  /** Names the harvesters of this process; no earlier or later process has this name. */
  process: string;
  /** Requests begin only this long after the last stored report. */
  leaseMs: number;
  /** Called when a report was stored. */
  reported(crawl: number): void;
  /** Called with a problem when the segmenter of a crawl stops answering, and without one when it answers again. */
  segmenter(crawl: number, problem: string | undefined): void;
  /** What a page may take; for tests. */
  budget?: PageBudget;
}

/** A thread carries out several batches, because a batch mostly waits. */
const batchesPerThread = 16;
const lookMs = 500;
/** How long a crawl keeps to a thread of its own after one of its pages has hurt another one. */
const suspectMs = 10 * 60_000;

interface HeldBatch {
  crawl: number;
  /** Each carries out a share of the batch. */
  threads: HarvestThread[];
  /** Those of them that have ended their share. */
  ended: Set<HarvestThread>;
  /** How many threads could be busy with the batch. */
  shares: number;
  /** On the monotonic clock. */
  renewedAt: number;
  /** Stores one report after another. */
  storing: Promise<void>;
}

/**
 * The harvesters of one process. A batch here is
 *
 * - *claimed*: one compare-and-set in the table of batches, and its shares go to threads;
 * - *held* while threads work on it. Each stored report renews the lease and lets requests begin for another `leaseMs`; without reports,
 *   `#renew` does so every sixth of that. A `stop` (the crawl is paused, the disk is short, we close) makes threads finish what is
 *   under way and report it;
 * - *ended* when the last thread has reported its share, in the transaction that stores that report;
 * - *refused* if the keeper has taken it back, or a report could not be stored. Threads then drop what they have. Nobody renews the batch, so
 *   the keeper gives its pages out again.
 *
 * If a thread dies, its shares end, and what they had not reported is queued again. The page that it was reading is given up: it would hurt the next
 * thread too. From then on its crawl is a *suspect*, whose batches go to a thread apart from those of other crawls.
 */
export class Harvesters implements Running {
  readonly #context: HarvestersContext;
  readonly #pool: ThreadPool;
  readonly #batches = new Map<string, HeldBatch>();
  readonly #wakeUp = new WakeUp();
  readonly #stop = new AbortController();
  readonly #ended: Promise<void>;
  readonly #problems = new Map<number, string>();
  /** Crawls whose pages have hurt a thread, and until when they are suspects. */
  readonly #suspects = new Map<number, number>();

  /** With a count of 0, the number of threads adapts. */
  constructor(context: HarvestersContext, count: number) {
    this.#context = context;
    const events = {
      report: (message: ThreadReport, thread: HarvestThread) => this.#receive(message, thread),
      died: (thread: HarvestThread, loss: ThreadLoss) => this.#lose(thread, loss),
    };
    this.#pool = new ThreadPool(count, (thread) => this.#batchesOf(thread), events, context.budget);
    this.#ended = this.#loop();
  }

  /** Changes the number of threads; 0: it adapts. */
  set count(count: number) {
    this.#pool.count = count;
    this.#wakeUp.wake();
  }

  /** What the threads are doing. */
  get load(): { threads: number; batches: number; inFlight: number; busy: number } {
    return { ...this.#pool.load, batches: this.#batches.size };
  }

  /** Looks for a batch at once. */
  wake(): void {
    this.#wakeUp.wake();
  }

  async close(): Promise<void> {
    this.#stop.abort();
    this.#wakeUp.wake();
    await this.#ended;
    for (const [batch, held] of this.#batches) tellAll(held, { kind: 'stop', batch });
    const deadline = monotonic() + 5_000;
    while (this.#batches.size > 0 && monotonic() < deadline)
      await new Promise((resolve) => setTimeout(resolve, 20));
    await this.#pool.close();
  }

  async #loop(): Promise<void> {
    const { clock, log } = this.#context;
    const { signal } = this.#stop;
    while (!signal.aborted) {
      try {
        this.#pool.adapt(this.#batches.values().reduce((sum, { shares }) => sum + shares, 0));
        this.#pool.adjust();
        this.#tellProblems();
        this.#suspectSlow();
        await this.#renew();
        this.#spareDisk();
        while (!signal.aborted && this.#hasRoom && (await this.#take())) {
          // Takes all there is.
        }
      } catch (error) {
        if (!signal.aborted) log.error({ err: error }, 'harvesters: a round failed; the next one follows');
      }
      await this.#wakeUp.wait(clock, lookMs, signal);
    }
  }

  /** A crawl must not fill a disk that others need: no batch begins while less than the reserve is free. */
  get #hasRoom(): boolean {
    return this.#context.disk.shortages().length === 0;
  }

  /** Half of the reserve is gone: stops batches under way. The keeper queues their pages again. */
  #spareDisk(): void {
    if (!this.#context.disk.isShort) return;
    for (const [batch, held] of this.#batches) tellAll(held, { kind: 'stop', batch });
  }

  #tellProblems(): void {
    const now = new Map(
      this.#pool.threads.flatMap(({ load }) =>
        load.problems.map(({ crawl, problem }) => [crawl, problem] as const),
      ),
    );
    for (const crawl of this.#problems.keys()) if (!now.has(crawl)) this.#context.segmenter(crawl, undefined);
    for (const [crawl, problem] of now)
      if (!this.#problems.has(crawl)) this.#context.segmenter(crawl, problem);
    this.#problems.clear();
    for (const [crawl, problem] of now) this.#problems.set(crawl, problem);
  }

  #batchesOf(thread: HarvestThread): number {
    let count = 0;
    for (const { threads } of this.#batches.values()) if (threads.includes(thread)) count++;
    return count;
  }

  #receive(message: ThreadReport, thread: HarvestThread): void {
    const held = this.#batches.get(message.batch);
    if (held) held.storing = held.storing.then(() => this.#store(message, held, thread));
  }

  /** Claims one batch and gives it to the least loaded thread, or divides it among all idle threads. */
  async #take(): Promise<boolean> {
    if ((this.#pool.byLoad()[0]?.count ?? batchesPerThread) >= batchesPerThread) return false;
    const began = monotonic();
    const suspects = this.#suspectsNow();
    const except = this.#pool.batchesApart >= batchesPerThread ? suspects : [];
    const claimed = await claimBatch(this.#context.database, this.#context.process, except);
    if (!claimed) return false;
    const { row, options, crawlId } = claimed;
    const plan = JSON.parse(row.plan) as BatchPlan & ScoutPlan;
    const isScout = row.kind === 'scout';
    const isSuspect = this.#suspects.has(Number(row.crawl));
    const most = isScout || isSuspect ? 1 : sharesIn(plan);
    // New threads get their share at once, and begin with it as soon as they have started.
    this.#pool.expect(most);
    // Looked up again: a thread may have died meanwhile, or been taken away.
    const [first, ...others] = isSuspect ? [this.#pool.apart()] : this.#pool.byLoad();
    // Without a thread, nobody renews the batch, so the keeper offers its pages again.
    if (!first) return false;
    const idle = [first, ...others.filter(({ count }) => count === 0)];
    const { id: batch } = row;
    const crawl = Number(row.crawl);
    const held = { crawl, ended: new Set<HarvestThread>(), renewedAt: began, storing: Promise.resolve() };
    if (isScout) {
      this.#batches.set(batch, { ...held, threads: [first.each], shares: 1 });
      first.each.tell({ kind: 'scout', batch, crawl, options, plan });
      return true;
    }
    const notAfter = began + this.#context.leaseMs;
    const shares = divideBatch(plan, idle.length);
    const threads = idle.slice(0, shares.length).map(({ each }) => each);
    this.#batches.set(batch, { ...held, threads, shares: most });
    const over = new SharedArrayBuffer(plan.rows.flat().length);
    for (const [index, share] of shares.entries())
      threads[index]?.tell({
        kind: 'harvest',
        batch,
        crawl,
        id: crawlId,
        options,
        notAfter,
        over,
        plan: share,
      });
    return true;
  }

  /** Stores pages, their segment and the results in one transaction, or nothing at all. */
  async #store(message: ThreadReport, held: HeldBatch, thread: HarvestThread): Promise<void> {
    const { database, blobs, clock, log } = this.#context;
    const { batch, content, parts, pages } = message;
    const ended = message.ended && held.ended.size + 1 === held.threads.length;
    const began = monotonic();
    try {
      const scanned = await this.#keepImages(message);
      const blob = parts.length > 0 ? await blobs.put(content) : undefined;
      const isOurs = await database.transaction(async (transaction) => {
        if (!(await renewBatch(transaction, batch, this.#context.process))) return false;
        const { crawl } = held;
        await addScans(transaction, scanned, { crawl, clock, blobOwner: segmentOwner(crawl) });
        const segment = blob
          ? await addSegment(database, transaction, { crawl, blob, parts, pages, now: clock.now() })
          : undefined;
        await transaction
          .insertInto('robot_result')
          .values({ crawl, batch, results: reportLine(message.report, { segment, ended }) })
          .execute();
        return true;
      });
      if (!isOurs) return this.#refuse(batch, held);
      held.renewedAt = began;
      const notAfter = began + this.#context.leaseMs;
      for (const each of held.threads)
        each.tell({ kind: 'stored', batch, isReport: each === thread, notAfter });
      if (message.ended) held.ended.add(thread);
      if (ended) this.#end(batch);
      this.#context.reported(held.crawl);
    } catch (error) {
      log.error({ err: error, batch }, 'a report could not be stored; its batch is given up');
      this.#refuse(batch, held);
    }
  }

  async #keepImages({ scans }: ThreadReport): Promise<Parameters<typeof addScans>[1]> {
    const kept = [];
    for (const { document, images } of scans)
      for (const [index, image] of images.entries())
        kept.push({ document, page: index + 1, blob: (await this.#context.blobs.put(image)).hash });
    return kept;
  }

  #refuse(batch: string, held: HeldBatch): void {
    tellAll(held, { kind: 'refused', batch });
    this.#end(batch);
  }

  #end(batch: string): void {
    this.#batches.delete(batch);
    this.#wakeUp.wake();
  }

  /** Renews the leases of batches with nothing to report, and stops batches of crawls that no longer run. */
  async #renew(): Promise<void> {
    if (this.#batches.size === 0) return;
    const { database, leaseMs } = this.#context;
    const running = await database.query
      .selectFrom('robot_crawl')
      .select('number')
      .where('state', '=', 'running')
      .execute();
    const isRunning = new Set(running.map(({ number }) => Number(number)));
    for (const [batch, held] of this.#batches) {
      if (!isRunning.has(held.crawl)) tellAll(held, { kind: 'stop', batch });
      const began = monotonic();
      if (began - held.renewedAt < leaseMs / 6) continue;
      if (!(await renewBatch(database.query, batch, this.#context.process))) {
        this.#refuse(batch, held);
        continue;
      }
      held.renewedAt = began;
      tellAll(held, { kind: 'stored', batch, isReport: false, notAfter: began + leaseMs });
    }
  }

  /** A thread died: its shares end here, so that no crawl waits until their leases are over. */
  #lose(thread: HarvestThread, { error, page }: ThreadLoss): void {
    if (this.#stop.signal.aborted) return;
    const { log } = this.#context;
    if (page)
      log.warn({ url: page.url, batch: page.batch, reason: page.result.reason }, 'a page was given up');
    else log.error({ err: error }, 'a harvester died; a new one takes its place');
    this.#pool.forget(thread);
    const hurtBy = page && this.#batches.get(page.batch);
    if (hurtBy) this.#suspect(hurtBy.crawl);
    for (const [batch, held] of this.#batches) {
      if (!held.threads.includes(thread)) continue;
      held.storing = held.storing.then(async () => {
        if (this.#batches.get(batch) !== held || held.ended.has(thread)) return;
        const report = await givenUpReport(batch, page?.batch === batch ? page : undefined);
        await this.#store(report, held, thread);
      });
    }
    this.#wakeUp.wake();
  }

  #suspect(crawl: number): void {
    this.#suspects.set(crawl, monotonic() + suspectMs);
  }

  /** Files that took too long have kept those of other crawls waiting. */
  #suspectSlow(): void {
    for (const { load } of this.#pool.threads) for (const crawl of load.slow) this.#suspect(crawl);
  }

  #suspectsNow(): number[] {
    for (const [crawl, until] of this.#suspects) if (until < monotonic()) this.#suspects.delete(crawl);
    return [...this.#suspects.keys()];
  }
}

function tellAll({ threads }: HeldBatch, message: ToThread): void {
  for (const thread of threads) thread.tell(message);
}
