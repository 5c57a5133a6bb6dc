import type { Worker } from 'node:worker_threads';
import { monotonic } from './monotonic.ts';
import { PageMark, type PageUnderWay } from './page-under-way.ts';
import { startThread } from './start-thread.ts';
import type { FromThread, ThreadLoad, ThreadReport, ToThread } from './thread-messages.ts';

/** What a page may take. A page of 10 MB takes a second; a thread that reads one keeps the pages of all its other crawls waiting. */
export interface PageBudget {
  /** Processor time. */
  cpuMs: number;
  /** Time in which the thread got hardly any processor time, or is stuck where it can't be asked. */
  wallMs: number;
}

export const pageBudget: PageBudget = { cpuMs: 10_000, wallMs: 120_000 };
const lookMs = 250;

/** Why a thread is no more, and the page that it was reading, with the reason why the page is given up. */
export interface ThreadLoss {
  error: unknown;
  page?: PageUnderWay | undefined;
}

/**
 * A thread that fetches and reads strangers' pages, with its own memory limit. It is ended when a page takes more than its budget. It says `died`
 * once, unless it was closed.
 */
export class HarvestThread {
  readonly #worker: Worker;
  readonly #mark: PageMark;
  readonly #budget: PageBudget;
  readonly #looking: NodeJS.Timeout;
  /** The page at the last look, since when it is read, and the thread's processor time then. */
  #seen: { number: number; at: number; cpuMs?: number } | undefined;
  #reason: string | undefined;
  #closed = false;
  load: ThreadLoad = { kind: 'load', utilization: 0, inFlight: 0, problems: [], slow: [] };

  constructor(
    report: (message: ThreadReport) => void,
    died: (loss: ThreadLoss) => void,
    budget: PageBudget = pageBudget,
  ) {
    const shared = PageMark.share();
    this.#mark = new PageMark(shared);
    this.#budget = budget;
    this.#worker = startThread(new URL('./thread.ts', import.meta.url), shared);
    this.#worker.on('message', (message: FromThread) => {
      if (message.kind === 'load') this.load = message;
      else report(message);
    });
    const end = (error: unknown) => {
      clearInterval(this.#looking);
      this.#mark.killProcesses();
      if (!this.#closed) died({ error, page: this.#givenUp(error) });
      this.#closed = true;
    };
    this.#worker.on('error', end);
    this.#worker.on('exit', () => end(new Error('the thread ended')));
    this.#looking = setInterval(() => this.#look(), lookMs).unref();
  }

  tell(message: ToThread): void {
    if (!this.#closed) this.#worker.postMessage(message);
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#looking);
    await this.#worker.terminate();
  }

  #look(): void {
    const { number } = this.#mark;
    if (number === 0) this.#seen = undefined;
    else if (number !== this.#seen?.number) this.#seen = { number, at: monotonic() };
    const seen = this.#seen;
    if (!seen || this.#closed) return;
    if (monotonic() - seen.at > this.#budget.wallMs) this.#giveUp(seen.number);
    // Answered in the middle of a loop, too.
    this.#worker.cpuUsage().then(
      ({ user, system }) => {
        const cpuMs = (user + system) / 1000;
        seen.cpuMs ??= cpuMs;
        if (cpuMs - seen.cpuMs > this.#budget.cpuMs) this.#giveUp(seen.number);
      },
      () => {},
    );
  }

  #giveUp(number: number): void {
    if (this.#mark.number !== number || this.#reason !== undefined) return;
    this.#reason = 'page that takes too long';
    void this.#worker.terminate();
  }

  #givenUp(error: unknown): PageUnderWay | undefined {
    const { page } = this.#mark;
    const isFull = (error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY';
    const reason = this.#reason ?? (isFull ? 'page that takes too much memory' : 'page that can not be read');
    return page && { ...page, result: { ...page.result, reason }, line: { ...page.line, reason } };
  }
}
