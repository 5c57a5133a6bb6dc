import type { Clock } from '../time/clock.ts';
import type { NewChange } from './change-log.ts';

const leastMs = 500;

/**
 * Joins the changes of one entity: the first is told at once, and of those that follow within half a second only the last, when that
 * time is over. A crawl or a campaign changes a thousand times a second, and a page draws it twice.
 */
export function joinChanges(clock: Clock, tell: (change: NewChange) => void) {
  const waiting = new Map<string, { last: NewChange | undefined; cancel: () => void }>();

  function wait(key: string): void {
    const cancel = clock.after(leastMs, () => {
      const last = waiting.get(key)?.last;
      waiting.delete(key);
      if (!last) return;
      tell(last);
      wait(key);
    });
    waiting.set(key, { last: undefined, cancel });
  }

  return {
    add(change: NewChange): void {
      const key = `${change.kind} ${change.entity}`;
      const found = waiting.get(key);
      if (found) {
        found.last = change;
        return;
      }
      tell(change);
      wait(key);
    },
    /** Tells what still waits. */
    close(): void {
      for (const { last, cancel } of waiting.values()) {
        cancel();
        if (last) tell(last);
      }
      waiting.clear();
    },
  };
}
