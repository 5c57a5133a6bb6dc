import { setImmediate } from 'node:timers/promises';
import type { Unwatch } from './coordination.ts';

/** A state that is read again whenever it may have changed. */
export interface Followed {
  refresh(): void;
  stop: Unwatch;
}

/**
 * Calls back with the state now and after each `refresh`: one read at a time, so the last state reported is the newest.
 * Changes that come together cause one read, never inside the call that made them.
 */
export function follow<State>(parts: {
  read(): Promise<State>;
  onState(state: State): void;
  /** The read failed; the next `refresh` tries again. */
  onError(error: unknown): void;
}): Followed {
  let active = true;
  let reading = false;
  let stale = false;
  const readWhileStale = async () => {
    while (stale && active) {
      await setImmediate();
      stale = false;
      try {
        const state = await parts.read();
        if (active) parts.onState(state);
      } catch (error) {
        if (active) parts.onError(error);
      }
    }
    reading = false;
  };
  const refresh = () => {
    stale = true;
    if (reading) return;
    reading = true;
    void readWhileStale();
  };
  refresh();
  return {
    refresh,
    stop() {
      active = false;
    },
  };
}

/** Calls a listener with states that are new to it, and reports its errors, sync or async. */
export function tellNews<State>(
  listener: (state: State) => unknown,
  report: (error: unknown) => void,
): (state: State, description: string) => void {
  let told: string | undefined;
  return async (state, description) => {
    if (description === told) return;
    told = description;
    try {
      await listener(state);
    } catch (error) {
      report(error);
    }
  };
}
