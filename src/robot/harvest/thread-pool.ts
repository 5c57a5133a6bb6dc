import { availableParallelism } from 'node:os';
import { HarvestThread, type PageBudget, type ThreadLoss } from './harvest-thread.ts';
import { monotonic } from './monotonic.ts';
import type { ThreadReport } from './thread-messages.ts';
import { idleShare, leastSpare, threadsWanted } from './threads-wanted.ts';

/** Where to begin if nobody says how many: the keeper and the database need a core, too. */
const usualThreads = () => Math.max(1, availableParallelism() - 1);

export interface PoolEvents {
  report(message: ThreadReport, thread: HarvestThread): void;
  died(thread: HarvestThread, loss: ThreadLoss): void;
}

/** The harvesting threads of a process: a fixed number, or as many as work and processor time allow. */
export class ThreadPool {
  readonly #threads: HarvestThread[] = [];
  /** Beside the others, for crawls whose pages have hurt a thread lately. */
  #apart: HarvestThread | undefined;
  readonly #budget: PageBudget | undefined;
  readonly #events: PoolEvents;
  /** How many batches a thread has a share of. */
  readonly #batchesOf: (thread: HarvestThread) => number;
  readonly #idle = idleShare();
  #wanted: number;
  #isAuto: boolean;
  #adaptedAt = monotonic();
  /** The share of the machine's time that nobody used lately. */
  #spare = 1;

  /** With 0 threads, their number adapts. */
  constructor(
    count: number,
    batchesOf: (thread: HarvestThread) => number,
    events: PoolEvents,
    budget?: PageBudget,
  ) {
    this.#budget = budget;
    this.#isAuto = count === 0;
    this.#wanted = this.#isAuto ? usualThreads() : count;
    this.#batchesOf = batchesOf;
    this.#events = events;
  }

  set count(count: number) {
    this.#isAuto = count === 0;
    if (count > 0) this.#wanted = count;
  }

  get threads(): readonly HarvestThread[] {
    return this.#apart ? [...this.#threads, this.#apart] : this.#threads;
  }

  /** The thread for crawls whose pages have hurt a thread lately: what they do from now on hurts no other crawl. */
  apart(): { each: HarvestThread; count: number } {
    this.#apart ??= this.#start();
    return { each: this.#apart, count: this.batchesApart };
  }

  /** How many batches the thread apart has. */
  get batchesApart(): number {
    return this.#apart ? this.#batchesOf(this.#apart) : 0;
  }

  get load(): { threads: number; inFlight: number; busy: number } {
    const loads = this.threads.map(({ load }) => load);
    const busy = loads.reduce((sum, { utilization }) => sum + utilization, 0) / Math.max(1, loads.length);
    const inFlight = loads.reduce((sum, load) => sum + load.inFlight, 0);
    return { threads: loads.length, inFlight, busy };
  }

  /** Once a second: more threads while work waits and the machine has time, fewer while they are idle. `shares` could be busy at once. */
  adapt(shares: number): void {
    if (!this.#isAuto || monotonic() - this.#adaptedAt < 1_000) return;
    this.#adaptedAt = monotonic();
    const { busy } = this.load;
    const threads = this.#wanted;
    this.#spare = this.#idle();
    const cores = availableParallelism();
    this.#wanted = threadsWanted({ threads, busy, shares, idle: this.#spare, cores });
  }

  /** A batch with this many shares comes: starts a thread for each at once, if the machine has time. */
  expect(shares: number): void {
    if (!this.#isAuto || this.#spare <= leastSpare) return;
    this.#wanted = Math.max(this.#wanted, Math.min(availableParallelism(), shares));
    this.adjust();
  }

  /** Starts threads that are wanted, and ends idle ones that are not. */
  adjust(): void {
    while (this.#threads.length < this.#wanted) this.#threads.push(this.#start());
    const apart = this.#apart;
    if (apart && this.batchesApart === 0) {
      this.forget(apart);
      void apart.close();
    }
    for (const thread of this.#threads.slice(this.#wanted)) {
      if (this.#batchesOf(thread) > 0) continue;
      this.forget(thread);
      void thread.close();
    }
  }

  #start(): HarvestThread {
    const thread = new HarvestThread(
      (message) => this.#events.report(message, thread),
      (loss) => this.#events.died(thread, loss),
      this.#budget,
    );
    return thread;
  }

  /** The threads that may take work, the least loaded first. */
  byLoad(): { each: HarvestThread; count: number }[] {
    return this.#threads
      .slice(0, this.#wanted)
      .map((each) => ({ each, count: this.#batchesOf(each) }))
      .sort((a, b) => a.count - b.count);
  }

  /** A thread that has died; `adjust` starts another. */
  forget(thread: HarvestThread): void {
    const index = this.#threads.indexOf(thread);
    if (index >= 0) this.#threads.splice(index, 1);
    if (thread === this.#apart) this.#apart = undefined;
  }

  async close(): Promise<void> {
    await Promise.all(this.threads.map((thread) => thread.close()));
  }
}
