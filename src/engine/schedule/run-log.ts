import type { Clock } from '../time/clock.ts';

const limit = 64_000;

/** Time until a new line is saved, with those that follow it meanwhile. */
const saveMs = 500;

/** The log of a run: its lines, up to a limit. They are saved while the run goes on, so that it can be watched. */
export class RunLog {
  #text = '';
  readonly #clock: Clock;
  readonly #save: (text: string) => void;
  #cancel: (() => void) | undefined;

  constructor(clock: Clock, save: (text: string) => void) {
    this.#clock = clock;
    this.#save = save;
  }

  add(line: string): void {
    if (this.#text.length >= limit) return;
    this.#text += `${line}\n`;
    if (this.#text.length >= limit) this.#text = `${this.#text.slice(0, limit)}\n(more was left out)\n`;
    this.#cancel ??= this.#clock.after(saveMs, () => {
      this.#cancel = undefined;
      this.#save(this.#text);
    });
  }

  /** Nothing is saved after this: the whole log is stored with the end of the run. */
  close(): void {
    this.#cancel?.();
    this.#cancel = () => {};
  }

  get text(): string {
    return this.#text;
  }
}
