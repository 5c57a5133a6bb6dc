import { PismakError } from '../../errors.ts';
import { type Clock, systemClock } from '../../time/clock.ts';

/** At most `size` at once, first come, first served. No caller waits for ever: that would hide a deadlock. */
export class Slots {
  readonly #clock: Clock;
  readonly #patienceMs: number;
  readonly #what: string;
  readonly #waiting: (() => void)[] = [];
  #free: number;

  /** `what` names the slots in the timeout error: "connections to PostgreSQL". */
  constructor(size: number, what: string, patienceMs = 30_000, clock: Clock = systemClock) {
    this.#free = size;
    this.#what = what;
    this.#patienceMs = patienceMs;
    this.#clock = clock;
  }

  /** Resolves when a slot is free. The returned function gives it back. */
  async take(): Promise<() => void> {
    if (this.#free > 0) this.#free--;
    else await this.#wait();
    let taken = true;
    return () => {
      if (!taken) return;
      taken = false;
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free++;
    };
  }

  #wait(): Promise<void> {
    return new Promise((resolve, reject) => {
      const cancel = this.#clock.after(this.#patienceMs, () => {
        this.#waiting.splice(this.#waiting.indexOf(turn), 1);
        reject(
          new PismakError(
            'unavailable',
            `All ${this.#what} were busy for ${this.#patienceMs / 1000} s. Try again later.`,
          ),
        );
      });
      const turn = () => {
        cancel();
        resolve();
      };
      this.#waiting.push(turn);
    });
  }
}
