/** Listeners by key: each is called with the latest state, once when added and then soon after every `changed`. */
export class Watches<State> {
  readonly #byKey = new Map<string, Set<Watch<State>>>();
  readonly #read: (key: string) => State;
  readonly #report: (error: unknown) => void;

  constructor(read: (key: string) => State, report: (error: unknown) => void) {
    this.#read = read;
    this.#report = report;
  }

  add(key: string, listener: (state: State) => void): () => void {
    const watch: Watch<State> = { listener, scheduled: false, active: true };
    const watches = this.#byKey.get(key) ?? new Set();
    this.#byKey.set(key, watches.add(watch));
    this.#schedule(key, watch);
    return () => {
      watch.active = false;
      watches.delete(watch);
      if (watches.size === 0 && this.#byKey.get(key) === watches) this.#byKey.delete(key);
    };
  }

  changed(key: string): void {
    for (const watch of this.#byKey.get(key) ?? []) this.#schedule(key, watch);
  }

  /** Never calls at once: whoever changes something must not run into what its watchers do. */
  #schedule(key: string, watch: Watch<State>): void {
    if (watch.scheduled) return;
    watch.scheduled = true;
    setImmediate(() => {
      watch.scheduled = false;
      if (watch.active) this.#call(watch, this.#read(key));
    });
  }

  /** A listener may be an async function: what it rejects with is caught too. */
  async #call(watch: Watch<State>, state: State): Promise<void> {
    try {
      await watch.listener(state);
    } catch (error) {
      this.#report(error);
    }
  }
}

interface Watch<State> {
  readonly listener: (state: State) => void;
  scheduled: boolean;
  active: boolean;
}
