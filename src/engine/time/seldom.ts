import type { Clock } from './clock.ts';

/** The share of the time that the work may take. */
const share = 1 / 50;

/** An answer that costs work: between two pieces of work, the last answer is given, so that asking often costs little. */
export class Seldom<Answer> {
  readonly #clock: Clock;
  readonly #work: () => Promise<Answer>;
  #last: { answer: Promise<Answer>; dueAt: number } | undefined;

  constructor(clock: Clock, work: () => Promise<Answer>) {
    this.#clock = clock;
    this.#work = work;
  }

  get(): Promise<Answer> {
    const start = this.#clock.now();
    if (this.#last && start < this.#last.dueAt) return this.#last.answer;
    const last = { answer: this.#work(), dueAt: Number.POSITIVE_INFINITY };
    this.#last = last;
    const ended = (isAnswer: boolean) => {
      const end = this.#clock.now();
      last.dueAt = isAnswer ? end + (end - start) / share : end;
    };
    last.answer.then(
      () => ended(true),
      () => ended(false),
    );
    return last.answer;
  }
}
