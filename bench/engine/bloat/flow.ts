/** A steady flow of jobs through a queue: as many are added as are done. */
export interface Flow {
  /** Jobs handled so far. */
  readonly done: number;
  stop(): Promise<void>;
}

export interface Flowing {
  name: string;
  start(url: string): Promise<Flow>;
}

/** Jobs that wait in the queue, about. */
export const backlog = 4000;
export const concurrency = 10;
/** Jobs added together. */
export const batch = 1000;

/** Keeps `backlog` jobs in the queue until stopped; `add` adds a batch. */
export class Supply {
  done = 0;
  #added = 0;
  #stopped = false;
  readonly #add: () => Promise<unknown>;
  readonly #working: Promise<void>;
  #more = Promise.withResolvers<void>();

  constructor(add: () => Promise<unknown>) {
    this.#add = add;
    this.#working = this.#work();
    this.#working.catch(() => {});
  }

  handled(count = 1): void {
    this.done += count;
    if (this.#added - this.done <= backlog - batch) this.#more.resolve();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#more.resolve();
    await this.#working;
  }

  async #work(): Promise<void> {
    while (!this.#stopped) {
      if (this.#added - this.done > backlog - batch) {
        this.#more = Promise.withResolvers();
        if (this.#added - this.done > backlog - batch) await this.#more.promise;
        continue;
      }
      await this.#add();
      this.#added += batch;
    }
  }
}
