import type { Clock } from '../time/clock.ts';

const silencesBeforeRest = 3;
const firstRestMs = 10_000;
/** Short compared with the delays between attempts: a receiver that is back gets the remaining attempts. */
const longestRestMs = 60_000;
const mostReceivers = 1000;

interface Silence {
  times: number;
  restUntil: number;
}

/**
 * Receivers that did not answer in time. After three timeouts in a row, a receiver gets nothing for a while: its deliveries
 * fail at once and are retried later, instead of holding slots. Then one delivery is tried before the others.
 */
export class SilentReceivers {
  readonly #clock: Clock;
  readonly #trialMs: number;
  readonly #silences = new Map<string, Silence>();

  constructor(parts: { clock: Clock; trialMs: number }) {
    this.#clock = parts.clock;
    this.#trialMs = parts.trialMs;
  }

  /** Throws while the receiver gets nothing. */
  check(receiver: string): void {
    const silence = this.#silences.get(receiver);
    if (!silence || silence.times < silencesBeforeRest) return;
    const now = this.#clock.now();
    if (now < silence.restUntil)
      throw new Error(`not sent now: the receiver did not answer the last ${silence.times} times`);
    silence.restUntil = now + this.#trialMs;
  }

  answered(receiver: string): void {
    this.#silences.delete(receiver);
  }

  silent(receiver: string): void {
    const times = (this.#silences.get(receiver)?.times ?? 0) + 1;
    const restMs = Math.min(firstRestMs * 2 ** Math.max(0, times - silencesBeforeRest), longestRestMs);
    this.#silences.delete(receiver);
    this.#silences.set(receiver, { times, restUntil: this.#clock.now() + restMs });
    const [oldest] = this.#silences.keys();
    if (this.#silences.size > mostReceivers && oldest !== undefined) this.#silences.delete(oldest);
  }
}
