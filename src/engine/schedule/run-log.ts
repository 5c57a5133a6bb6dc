const limit = 64_000;

/** The log of a run: its lines, up to a limit. */
export class RunLog {
  #text = '';

  add(line: string): void {
    if (this.#text.length >= limit) return;
    this.#text += `${line}\n`;
    if (this.#text.length >= limit) this.#text = `${this.#text.slice(0, limit)}\n(more was left out)\n`;
  }

  get text(): string {
    return this.#text;
  }
}
