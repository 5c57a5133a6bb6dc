import type { Clock } from '../time/clock.ts';

/** One timer, set for the earliest delayed message. */
export class DelayTimer {
  readonly #clock: Clock;
  readonly #due: () => void;
  #at = Number.POSITIVE_INFINITY;
  #cancel: () => void = () => {};
  #closed = false;

  constructor(clock: Clock, due: () => void) {
    this.#clock = clock;
    this.#due = due;
  }

  /** A message is due at `at`, which may have passed. */
  expect(at: number): void {
    if (this.#closed || at >= this.#at) return;
    const delay = at - this.#clock.now();
    this.#cancel();
    this.#at = Number.POSITIVE_INFINITY;
    if (delay <= 0) {
      this.#due();
      return;
    }
    this.#at = at;
    this.#cancel = this.#clock.after(delay, () => {
      this.#at = Number.POSITIVE_INFINITY;
      this.#due();
    });
  }

  close(): void {
    this.#closed = true;
    this.#cancel();
  }
}
