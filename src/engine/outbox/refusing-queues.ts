import type { Alerts } from '../alert/alert.ts';
import { sayAlert } from '../alert/sentences.ts';
import { hasCode, messageOf } from '../ground/errors.ts';
import type { Clock } from '../time/clock.ts';

const fullPauseMs = 1000;
const firstPauseMs = 1000;
const longestPauseMs = 60_000;
const triesBeforeAlert = 5;

/**
 * Queues that refused their last message, each with the time of its next attempt. They must not delay messages for other
 * queues. A full queue means back-pressure and is retried soon; a queue that refuses for another reason (most likely it
 * does not exist) is retried less and less often, and raises an alert.
 */
export class RefusingQueues {
  readonly #refusing = new Map<string, { tries: number; nextTryAt: number }>();
  /** Queues that accept messages, and whose alert (perhaps from an earlier process) is cleared. */
  readonly #accepting = new Set<string>();
  readonly #parts: { alerts: Alerts; clock: Clock; alertKind: string };

  constructor(parts: { alerts: Alerts; clock: Clock; alertKind: string }) {
    this.#parts = parts;
  }

  mayTry(queue: string): boolean {
    return (this.#refusing.get(queue)?.nextTryAt ?? 0) <= this.#parts.clock.now();
  }

  async refused(queue: string, error: unknown): Promise<void> {
    const { alerts, clock, alertKind } = this.#parts;
    this.#accepting.delete(queue);
    if (hasCode(error, 'queue-full')) {
      this.#refusing.set(queue, { tries: 0, nextTryAt: clock.now() + fullPauseMs });
      return;
    }
    const tries = (this.#refusing.get(queue)?.tries ?? 0) + 1;
    const pauseMs = Math.min(firstPauseMs * 2 ** (tries - 1), longestPauseMs);
    this.#refusing.set(queue, { tries, nextTryAt: clock.now() + pauseMs });
    if (tries < triesBeforeAlert) return;
    const reason = sayAlert('queue.refuses', { queue, tries, why: messageOf(error) });
    await alerts.raise(alertKind, queue, reason, { queue, tries });
  }

  async accepted(queue: string): Promise<void> {
    if (this.#accepting.has(queue)) return;
    this.#refusing.delete(queue);
    this.#accepting.add(queue);
    await this.#parts.alerts.clear(this.#parts.alertKind, queue);
  }
}
