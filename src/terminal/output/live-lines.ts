/** Lines at the bottom of the terminal that are redrawn in place. Printed text goes above them. */
export class LiveLines {
  readonly #out: NodeJS.WriteStream;
  #drawn = 0;

  constructor(out: NodeJS.WriteStream) {
    this.#out = out;
  }

  draw(lines: readonly string[]): void {
    const width = this.#out.columns || 80;
    const height = Math.max(3, (this.#out.rows || 24) - 1);
    // Cut what doesn't fit: a wrapped or scrolled line could not be redrawn in place.
    const shown = lines.slice(0, height).map((line) => cut(line, width));
    this.#out.write(`${this.#up()}${shown.map((line) => `${line}\n`).join('')}`);
    this.#drawn = shown.length;
  }

  print(line: string): void {
    this.#out.write(`${this.#up()}${line}\n`);
    this.#drawn = 0;
  }

  #up(): string {
    return this.#drawn > 0 ? `\x1b[${this.#drawn}A\x1b[J` : '';
  }
}

/** Colour codes take no room on the screen. */
function cut(line: string, width: number): string {
  let room = width;
  let out = '';
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are our own colours
  for (const part of line.split(/(\x1b\[[0-9;]*m)/)) {
    if (part.startsWith('\x1b[')) out += part;
    else {
      out += part.slice(0, room);
      room -= Math.min(room, part.length);
    }
  }
  return out;
}
