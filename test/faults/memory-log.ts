import { residentMb, residentMbOfAll } from './memory-use.ts';

export interface MemoryFigures {
  /** Resident memory of the main process when so much of the document was done. A kill lets it begin anew. */
  rssMb: { at10: number; at50: number; at100: number; median: number; most: number };
  /** The same, evenly over the time since the last kill. */
  rssMbSinceKill: number[];
  /** With all the processes that it has started. */
  mostRssMbOfAll: number;
}

/** Memory of the main process while a document gets done, over its lives. */
export class MemoryLog {
  readonly #pages: number;
  readonly #all: number[] = [];
  #sinceKill: number[] = [];
  readonly #at = { at10: 0, at50: 0, at100: 0 };
  #mostOfAll = 0;

  constructor(pages: number) {
    this.#pages = pages;
  }

  async look(pid: number, done: number): Promise<void> {
    const megabytes = await residentMb(pid);
    if (megabytes === 0) return;
    this.#all.push(megabytes);
    this.#sinceKill.push(megabytes);
    if (done >= this.#pages * 0.1) this.#at.at10 ||= megabytes;
    if (done >= this.#pages * 0.5) this.#at.at50 ||= megabytes;
    if (done >= this.#pages) this.#at.at100 ||= megabytes;
  }

  async lookAtAll(pid: number): Promise<number> {
    const megabytes = await residentMbOfAll(pid);
    this.#mostOfAll = Math.max(this.#mostOfAll, megabytes);
    return megabytes;
  }

  /** It was killed: what comes now is another process. */
  beginAnew(): void {
    this.#sinceKill = [];
  }

  get figures(): MemoryFigures {
    const sorted = this.#all.toSorted((a, b) => a - b);
    const [median = 0, most = 0] = [sorted[Math.floor(sorted.length / 2)], sorted.at(-1)];
    return {
      rssMb: { ...this.#at, median, most },
      rssMbSinceKill: evenly(this.#sinceKill, 30),
      mostRssMbOfAll: this.#mostOfAll,
    };
  }
}

function evenly(values: readonly number[], most: number): number[] {
  const step = Math.max(1, Math.ceil(values.length / most));
  return values.filter((_, index) => index % step === 0);
}
