import type { VisitResult } from '../batch/report.ts';
import type { Rules } from '../politeness/rules.ts';

/** The page that a thread is reading: what is reported of it if the thread does not survive it. */
export interface PageUnderWay {
  batch: string;
  url: string;
  /** As if the page had been given up; the reason is added. */
  result: VisitResult;
  /** The request, as it is logged. */
  line: object;
  rules: Rules;
}

/** A URL of 2,000 characters stands here three times. */
const mostBytes = 32_768;
const numberAt = 0;
const lengthAt = 1;
const processesFrom = 2;
const mostProcesses = 2;
const nameFrom = 4 * (processesFrom + mostProcesses);

/**
 * Memory shared by a harvester's thread and the main thread, in which the thread says which page it is reading. The thread may be stuck in that page
 * or out of memory, so it couldn't answer a question. Pages have numbers; the number is 0 while the thread does something else.
 */
export class PageMark {
  readonly #state: Int32Array;
  readonly #name: Buffer;
  #last = 0;

  constructor(shared: SharedArrayBuffer) {
    this.#state = new Int32Array(shared, 0, nameFrom / 4);
    this.#name = Buffer.from(shared, nameFrom);
  }

  static share(): SharedArrayBuffer {
    return new SharedArrayBuffer(nameFrom + mostBytes);
  }

  /** Reads a page; `page` is a `PageUnderWay` as JSON. The work must not await anything. */
  during<T>(page: string, work: () => T): T {
    Atomics.store(this.#state, lengthAt, this.#name.write(page));
    this.#last = (this.#last % 0x7fff_ffff) + 1;
    Atomics.store(this.#state, numberAt, this.#last);
    try {
      return work();
    } finally {
      Atomics.store(this.#state, numberAt, 0);
    }
  }

  /** The processes that convert files for the thread. One that is busy would not notice that the thread is gone. */
  set processes(processes: readonly (number | undefined)[]) {
    for (let index = 0; index < mostProcesses; index++)
      Atomics.store(this.#state, processesFrom + index, processes[index] ?? 0);
  }

  /** Kills what the dead thread has left behind. */
  killProcesses(): void {
    for (let index = 0; index < mostProcesses; index++) {
      const id = Atomics.exchange(this.#state, processesFrom + index, 0);
      if (id > 0) kill(id);
    }
  }

  get number(): number {
    return Atomics.load(this.#state, numberAt);
  }

  /** The page; undefined if there is none. */
  get page(): PageUnderWay | undefined {
    if (this.number === 0) return undefined;
    try {
      return JSON.parse(this.#name.toString('utf8', 0, Atomics.load(this.#state, lengthAt))) as PageUnderWay;
    } catch {
      return undefined;
    }
  }
}

function kill(id: number): void {
  try {
    process.kill(id, 'SIGKILL');
  } catch {
    // It has ended.
  }
}
