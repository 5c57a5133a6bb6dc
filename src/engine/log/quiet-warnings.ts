import type { Logger } from 'pino';
import { messageOf } from '../ground/errors.ts';
import type { Clock } from '../time/clock.ts';

const againMs = 60_000;

/** Logs a repeating warning, such as while a server is down, only once a minute, and says when it is over. */
export class QuietWarnings {
  readonly #log: Logger;
  readonly #clock: Clock;
  readonly #last = new Map<string, number>();

  constructor(log: Logger, clock: Clock) {
    this.#log = log;
    this.#clock = clock;
  }

  warn(text: string, error: unknown): void {
    const now = this.#clock.now();
    if (now - (this.#last.get(text) ?? Number.NEGATIVE_INFINITY) < againMs) return;
    this.#last.set(text, now);
    this.#log.warn({ error: messageOf(error) }, text);
  }

  /** Call this when it works again. */
  end(): void {
    if (this.#last.size === 0) return;
    this.#log.info({ after: [...this.#last.keys()] }, 'all is well again');
    this.#last.clear();
  }
}
