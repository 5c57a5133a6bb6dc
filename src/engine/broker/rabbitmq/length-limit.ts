import { PismakError } from '../../ground/errors.ts';
import type { Clock } from '../../time/clock.ts';
import { UnderWay } from '../../time/under-way.ts';

/** How long a count is valid: others publish too. */
const freshMs = 100;

/**
 * The limit of one queue. The server's own limit cannot be changed and acts late, so we count waiting messages before
 * each publish: exact for one process; several can exceed it by what each publishes within 100 ms.
 */
export class LengthLimit {
  readonly #clock: Clock;
  readonly #count: () => Promise<number>;
  #left = 0;
  #freshUntil = 0;
  #counting: Promise<void> | undefined;
  readonly #sending = new UnderWay();

  constructor(clock: Clock, count: () => Promise<number>) {
    this.#clock = clock;
    this.#count = count;
  }

  /** Sends if there is room for one more, else fails with `queue-full`. */
  async send(queue: string, maxLength: number, send: () => Promise<void>): Promise<void> {
    if (!(await this.#take(maxLength))) {
      throw new PismakError('queue-full', `Queue ${queue} is full (${maxLength} messages). Try again later.`);
    }
    await this.#sending.add(send());
  }

  async #take(maxLength: number): Promise<boolean> {
    if (this.#left <= 0 || this.#clock.now() >= this.#freshUntil) {
      this.#counting ??= this.#recount(maxLength).finally(() => {
        this.#counting = undefined;
      });
      await this.#counting;
    }
    return this.#left-- > 0;
  }

  /** The count is right only while no publish is under way: such a message may be counted or not. */
  async #recount(maxLength: number): Promise<void> {
    await this.#sending.ended();
    this.#left = maxLength - (await this.#count());
    this.#freshUntil = this.#clock.now() + freshMs;
  }
}
