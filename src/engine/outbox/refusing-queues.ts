import type { Alerts } from '../alert/alert.ts';
import { hasCode, messageOf } from '../errors.ts';
import type { Clock } from '../time/clock.ts';

const fullPauseMs = 1000;
const firstPauseMs = 1000;
const longestPauseMs = 60_000;
const triesBeforeAlert = 5;

/**
 * Queues that took no message when they were last tried, each with the time of its next try: they must not keep the
 * messages for other queues from going out. A full queue is back-pressure and soon tried again; one that refuses for
 * another reason (most likely it does not exist) is tried less and less often, and an alert is raised.
 */
export class RefusingQueues {
  readonly #refusing = new Map<string, { tries: number; nextTryAt: number }>();
  /** Queues that take messages, and whose alert (perhaps of an earlier process) has been cleared. */
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
    const reason = `messages for queue ${queue} are kept back, it refused them ${tries} times: ${messageOf(error)}`;
    await alerts.raise(alertKind, queue, reason, { queue, tries });
  }

  async accepted(queue: string): Promise<void> {
    if (this.#accepting.has(queue)) return;
    this.#refusing.delete(queue);
    this.#accepting.add(queue);
    await this.#parts.alerts.clear(this.#parts.alertKind, queue);
  }
}
