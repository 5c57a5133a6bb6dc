/** Opened when it is first asked for, once for all who ask. A failure is forgotten: whoever asks next tries again. */
export class OnDemand<Opened> {
  readonly #open: () => Promise<Opened>;
  readonly #close: (opened: Opened) => unknown;
  #opening: Promise<Opened> | undefined;
  #closing: Promise<void> | undefined;

  constructor(open: () => Promise<Opened>, close: (opened: Opened) => unknown = () => {}) {
    this.#open = open;
    this.#close = close;
  }

  get(): Promise<Opened> {
    if (this.#closing) throw new Error('this was closed');
    if (this.#opening) return this.#opening;
    const opening = this.#open();
    this.#opening = opening;
    opening.catch(() => {
      if (this.#opening === opening) this.#opening = undefined;
    });
    return opening;
  }

  /** Closes what was opened, or is being opened. What was never asked for stays shut. */
  close(): Promise<void> {
    this.#closing ??= this.#closeOnce();
    return this.#closing;
  }

  async #closeOnce(): Promise<void> {
    const opened = await Promise.allSettled(this.#opening ? [this.#opening] : []);
    for (const result of opened) if (result.status === 'fulfilled') await this.#close(result.value);
  }
}
