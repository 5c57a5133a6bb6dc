import { hasCode } from '../../errors.ts';
import type { Unwatch } from '../coordination.ts';
import { parentOf } from '../path.ts';

/** What is watched: a node, or the children of one. */
export type Watched = `node ${string}` | `children ${string}`;

/** Reads again whenever something may have changed: one read at a time for each watch, so the last one is the newest. */
export class Watching {
  readonly #refreshes = new Map<Watched, Set<() => void>>();
  readonly #report: (error: unknown) => void;

  constructor(report: (error: unknown) => void) {
    this.#report = report;
  }

  watch<State>(what: Watched, read: () => Promise<State>, listener: (state: State) => unknown): Unwatch {
    let active = true;
    let reading = false;
    let stale = false;
    let told: string | undefined;
    const refresh = async () => {
      stale = true;
      if (reading) return;
      reading = true;
      try {
        while (stale && active) {
          stale = false;
          const state = await read();
          const now = JSON.stringify(state) ?? 'none';
          if (!active || now === told) continue;
          told = now;
          void this.#call(() => listener(state));
        }
      } catch (error) {
        // When the server is there again, all watches are refreshed.
        if (active && !hasCode(error, 'unavailable')) this.#report(error);
      } finally {
        reading = false;
      }
    };
    const refreshes = this.#refreshes.get(what) ?? new Set();
    this.#refreshes.set(what, refreshes.add(refresh));
    void refresh();
    return () => {
      active = false;
      refreshes.delete(refresh);
      if (refreshes.size === 0 && this.#refreshes.get(what) === refreshes) this.#refreshes.delete(what);
    };
  }

  nodeChanged(path: string): void {
    for (const refresh of this.#refreshes.get(`node ${path}`) ?? []) refresh();
    for (const refresh of this.#refreshes.get(`children ${parentOf(path)}`) ?? []) refresh();
  }

  /** Notices may have been missed. */
  refreshAll(): void {
    for (const refreshes of this.#refreshes.values()) for (const refresh of refreshes) refresh();
  }

  /** A listener may be an async function: what it rejects with is caught too. */
  async #call(listener: () => unknown): Promise<void> {
    try {
      await listener();
    } catch (error) {
      this.#report(error);
    }
  }
}
