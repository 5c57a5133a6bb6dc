import { availableParallelism } from 'node:os';
import type { Worker } from 'node:worker_threads';
import type { Logger } from 'pino';
import type { Blobs } from '../../engine/blobs/blobs.ts';
import type { DiskReserve } from '../../engine/disk/disk-reserve.ts';
import type { Running } from '../../engine/service/service.ts';
import { Bell } from '../../engine/time/bell.ts';
import type { Clock } from '../../engine/time/clock.ts';
import type { BatchPlan, ScoutPlan } from '../batch/plan.ts';
import { reportLine } from '../batch/report.ts';
import { type CrawlDefinition, readDefinition } from '../crawl/options.ts';
import type { BatchRow, Database } from '../database/tables.ts';
import { addScans } from '../scans/scan-list.ts';
import { addSegment, segmentOwner } from '../segments/segment-list.ts';
import { divideBatch, sharesIn } from './divide-batch.ts';
import { monotonic } from './monotonic.ts';
import { startThread } from './start-thread.ts';
import type { FromThread, ThreadLoad, ThreadReport, ToThread } from './thread-messages.ts';
import { idleShare, leastSpare, threadsWanted } from './threads-wanted.ts';

export interface HarvesterParts {
  database: Database;
  blobs: Blobs;
  clock: Clock;
  disk: Pick<DiskReserve, 'isShort' | 'shortages'>;
  log: Logger;
  /** Names the harvesters of this process; no other process has it, before or after. */
  process: string;
  /** Requests begin only this long after the last stored report. */
  leaseMs: number;
  /** Called when a report was stored. */
  reported(crawl: number): void;
  /** Called when the segmenter of a crawl stops answering, and without a problem when it answers again. */
  segmenter(crawl: number, problem: string | undefined): void;
}

/** A batch is mostly waiting, so a thread carries out several. */
const batchesPerThread = 16;
const lookMs = 500;

/** Where to begin if nobody says how many: the keeper and the database need a core, too. */
const usualThreads = () => Math.max(1, availableParallelism() - 1);

interface HeldBatch {
  crawl: number;
  /** Each carries out a share of it. */
  threads: HarvestThread[];
  /** Of those, the ones that have ended. */
  ended: number;
  /** How many could. */
  shares: number;
  renewedAt: number;
  /** Stores one report after another. */
  storing: Promise<void>;
}

/** The harvesters of one process: claim batches, have them carried out by threads, and store what these report. */
export class Harvesters implements Running {
  readonly #parts: HarvesterParts;
  readonly #threads: HarvestThread[] = [];
  readonly #batches = new Map<string, HeldBatch>();
  readonly #bell = new Bell();
  readonly #stop = new AbortController();
  readonly #ended: Promise<void>;
  readonly #problems = new Map<number, string>();
  readonly #idle = idleShare();
  #wanted: number;
  #isAuto: boolean;
  #adaptedAt = monotonic();
  /** The share of the machine's time that nobody used lately. */
  #spare = 1;

  /** With 0 threads, their number adapts to what there is to do. */
  constructor(parts: HarvesterParts, count: number) {
    this.#parts = parts;
    this.#isAuto = count === 0;
    this.#wanted = this.#isAuto ? usualThreads() : count;
    this.#ended = this.#loop();
  }

  /** More or fewer threads from now on. */
  set count(count: number) {
    this.#isAuto = count === 0;
    if (count > 0) this.#wanted = count;
    this.#bell.ring();
  }

  /** What they are doing. */
  get load(): { threads: number; batches: number; inFlight: number; busy: number } {
    const loads = this.#threads.map(({ load }) => load);
    const busy = loads.reduce((sum, { utilization }) => sum + utilization, 0) / Math.max(1, loads.length);
    const inFlight = loads.reduce((sum, load) => sum + load.inFlight, 0);
    return { threads: this.#threads.length, batches: this.#batches.size, inFlight, busy };
  }

  /** A batch may be there. */
  wake(): void {
    this.#bell.ring();
  }

  async close(): Promise<void> {
    this.#stop.abort();
    this.#bell.ring();
    await this.#ended;
    for (const [batch, held] of this.#batches) tellAll(held, { kind: 'stop', batch });
    const deadline = monotonic() + 5_000;
    while (this.#batches.size > 0 && monotonic() < deadline)
      await new Promise((resolve) => setTimeout(resolve, 20));
    await Promise.all(this.#threads.map((thread) => thread.close()));
  }

  async #loop(): Promise<void> {
    const { clock, log } = this.#parts;
    const { signal } = this.#stop;
    while (!signal.aborted) {
      try {
        this.#adapt();
        this.#adjust();
        this.#tellProblems();
        await this.#renew();
        this.#spareDisk();
        while (!signal.aborted && this.#hasRoom && (await this.#take())) {
          // Takes all there is.
        }
      } catch (error) {
        if (!signal.aborted) log.error({ err: error }, 'harvesters: a round failed; the next one follows');
      }
      await this.#bell.wait(clock, lookMs, signal);
    }
  }

  /** A crawl must not fill the disk that others need: no batch begins while the reserve of the disk is touched. */
  get #hasRoom(): boolean {
    return this.#parts.disk.shortages().length === 0;
  }

  /** Half of the reserve is gone: what has begun ends here, too, and goes on when there is room. */
  #spareDisk(): void {
    if (!this.#parts.disk.isShort) return;
    for (const [batch, held] of this.#batches) tellAll(held, { kind: 'stop', batch });
  }

  /** Once a second: more threads while work waits and the machine has time, fewer while they are idle. */
  #adapt(): void {
    if (!this.#isAuto || monotonic() - this.#adaptedAt < 1_000) return;
    this.#adaptedAt = monotonic();
    const { busy } = this.load;
    const shares = this.#batches.values().reduce((sum, held) => sum + held.shares, 0);
    const threads = this.#wanted;
    this.#spare = this.#idle();
    const cores = availableParallelism();
    this.#wanted = threadsWanted({ threads, busy, shares, idle: this.#spare, cores });
  }

  #tellProblems(): void {
    const now = new Map(
      this.#threads.flatMap(({ load }) =>
        load.problems.map(({ crawl, problem }) => [crawl, problem] as const),
      ),
    );
    for (const crawl of this.#problems.keys()) if (!now.has(crawl)) this.#parts.segmenter(crawl, undefined);
    for (const [crawl, problem] of now) if (!this.#problems.has(crawl)) this.#parts.segmenter(crawl, problem);
    this.#problems.clear();
    for (const [crawl, problem] of now) this.#problems.set(crawl, problem);
  }

  /** Starts threads that are wanted, and ends idle ones that are not. */
  #adjust(): void {
    while (this.#threads.length < this.#wanted) {
      const thread = new HarvestThread(
        (message) => this.#receive(message, thread),
        (error) => this.#lose(thread, error),
      );
      this.#threads.push(thread);
    }
    for (const thread of this.#threads.slice(this.#wanted)) {
      if (this.#countOf(thread) > 0) continue;
      this.#threads.splice(this.#threads.indexOf(thread), 1);
      void thread.close();
    }
  }

  #countOf(thread: HarvestThread): number {
    return [...this.#batches.values()].filter(({ threads }) => threads.includes(thread)).length;
  }

  #receive(message: ThreadReport, thread: HarvestThread): void {
    const held = this.#batches.get(message.batch);
    if (held) held.storing = held.storing.then(() => this.#store(message, held, thread));
  }

  /** Claims one batch, and has it carried out by the thread that has least to do, or by all that have nothing to do. */
  async #take(): Promise<boolean> {
    if ((this.#byLoad()[0]?.count ?? batchesPerThread) >= batchesPerThread) return false;
    const began = monotonic();
    const claimed = await this.#claim();
    if (!claimed) return false;
    const { row, options, crawlId } = claimed;
    const plan = JSON.parse(row.plan) as BatchPlan & ScoutPlan;
    const isScout = row.kind === 'scout';
    const most = isScout ? 1 : sharesIn(plan);
    if (this.#isAuto && this.#spare > leastSpare) {
      this.#wanted = Math.max(this.#wanted, Math.min(availableParallelism(), most));
      // They get their share at once, and begin with it as soon as they have started.
      this.#adjust();
    }
    // Not those from before: a thread may have died meanwhile, or been taken away.
    const [first, ...others] = this.#byLoad();
    // Nobody renews the batch, so the keeper gives it out again.
    if (!first) return false;
    const idle = [first, ...others.filter(({ count }) => count === 0)];
    const { id: batch } = row;
    const crawl = Number(row.crawl);
    const held = { crawl, ended: 0, renewedAt: began, storing: Promise.resolve() };
    if (isScout) {
      this.#batches.set(batch, { ...held, threads: [first.each], shares: 1 });
      first.each.tell({ kind: 'scout', batch, crawl, options, plan });
      return true;
    }
    const notAfter = began + this.#parts.leaseMs;
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

  /** The threads that may take work, those with least of it first. */
  #byLoad(): { each: HarvestThread; count: number }[] {
    return this.#threads
      .slice(0, this.#wanted)
      .map((each) => ({ each, count: this.#countOf(each) }))
      .sort((a, b) => a.count - b.count);
  }

  /** Of several harvesters that see a batch, one gets it. */
  async #claim(): Promise<{ row: BatchRow; options: CrawlDefinition; crawlId: string } | undefined> {
    const { database } = this.#parts;
    const offered = await database.query
      .selectFrom('robot_batch')
      .innerJoin('robot_crawl', 'robot_crawl.number', 'robot_batch.crawl')
      .selectAll('robot_batch')
      .select(['robot_crawl.options', 'robot_crawl.id as crawlId'])
      .where('robot_batch.state', '=', 'offered')
      .where('robot_crawl.state', '=', 'running')
      .orderBy('robot_batch.createdAt')
      .limit(5)
      .execute();
    for (const { options, crawlId, ...row } of offered) {
      const { numUpdatedRows } = await database.query
        .updateTable('robot_batch')
        .set({ state: 'claimed', harvester: this.#parts.process })
        .where('id', '=', row.id)
        .where('state', '=', 'offered')
        .executeTakeFirst();
      if (Number(numUpdatedRows) > 0) return { row, crawlId, options: readDefinition(options) };
    }
    return undefined;
  }

  /** The pages, the segment that holds them and the results become durable in one transaction, or not at all. */
  async #store(message: ThreadReport, held: HeldBatch, thread: HarvestThread): Promise<void> {
    const { database, blobs, clock, log } = this.#parts;
    const { batch, content, parts, pages } = message;
    const ended = message.ended && held.ended + 1 === held.threads.length;
    const began = monotonic();
    try {
      const scanned = await this.#keepImages(message);
      const blob = parts.length > 0 ? await blobs.put(content) : undefined;
      const isOurs = await database.transaction(async (transaction) => {
        const renewed = await transaction
          .updateTable('robot_batch')
          .set(({ eb }) => ({ renewals: eb('renewals', '+', 1) }))
          .where('id', '=', batch)
          .where('state', '=', 'claimed')
          .where('harvester', '=', this.#parts.process)
          .returning('id')
          .execute();
        if (renewed.length === 0) return false;
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
      const notAfter = began + this.#parts.leaseMs;
      for (const each of held.threads)
        each.tell({ kind: 'stored', batch, isReport: each === thread, notAfter });
      if (message.ended) held.ended++;
      if (ended) this.#end(batch);
      this.#parts.reported(held.crawl);
    } catch (error) {
      log.error({ err: error, batch }, 'a report could not be stored; its batch is given up');
      this.#refuse(batch, held);
    }
  }

  async #keepImages({ scans }: ThreadReport): Promise<Parameters<typeof addScans>[1]> {
    const kept = [];
    for (const { document, images } of scans)
      for (const [index, image] of images.entries())
        kept.push({ document, page: index + 1, blob: (await this.#parts.blobs.put(image)).hash });
    return kept;
  }

  #refuse(batch: string, held: HeldBatch): void {
    tellAll(held, { kind: 'refused', batch });
    this.#end(batch);
  }

  #end(batch: string): void {
    this.#batches.delete(batch);
    this.#bell.ring();
  }

  /** Tells the keeper that we are alive, for batches with nothing to report, and stops those of crawls that no longer run. */
  async #renew(): Promise<void> {
    if (this.#batches.size === 0) return;
    const { database, leaseMs } = this.#parts;
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
      const { numUpdatedRows } = await database.query
        .updateTable('robot_batch')
        .set(({ eb }) => ({ renewals: eb('renewals', '+', 1) }))
        .where('id', '=', batch)
        .where('state', '=', 'claimed')
        .where('harvester', '=', this.#parts.process)
        .executeTakeFirst();
      if (Number(numUpdatedRows) === 0) {
        this.#refuse(batch, held);
        continue;
      }
      held.renewedAt = began;
      tellAll(held, { kind: 'stored', batch, isReport: false, notAfter: began + leaseMs });
    }
  }

  /** A thread that ended takes its batches with it: the keeper gives them out again when their lease is over. */
  #lose(thread: HarvestThread, error: unknown): void {
    if (this.#stop.signal.aborted) return;
    this.#parts.log.error({ err: error }, 'a harvester died; a new one takes its place');
    const index = this.#threads.indexOf(thread);
    if (index >= 0) this.#threads.splice(index, 1);
    for (const [batch, held] of this.#batches) if (held.threads.includes(thread)) this.#refuse(batch, held);
    this.#bell.ring();
  }
}

function tellAll({ threads }: HeldBatch, message: ToThread): void {
  for (const thread of threads) thread.tell(message);
}

/** Pages of strangers are handled in a thread with a limit of memory of its own. */
class HarvestThread {
  readonly #worker: Worker;
  #closed = false;
  load: ThreadLoad = { kind: 'load', utilization: 0, inFlight: 0, problems: [] };

  constructor(report: (message: ThreadReport) => void, died: (error: unknown) => void) {
    this.#worker = startThread(new URL('./thread.ts', import.meta.url));
    this.#worker.on('message', (message: FromThread) => {
      if (message.kind === 'load') this.load = message;
      else report(message);
    });
    this.#worker.on('error', (error) => {
      if (!this.#closed) died(error);
      this.#closed = true;
    });
    this.#worker.on('exit', () => {
      if (!this.#closed) died(new Error('the thread ended'));
      this.#closed = true;
    });
  }

  tell(message: ToThread): void {
    if (!this.#closed) this.#worker.postMessage(message);
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#worker.terminate();
  }
}
