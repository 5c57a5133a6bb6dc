/**
 * Text as it grows, with white space as a page shows it: runs of it become one space, and what separates two pieces (a space, a tab,
 * a line, a blank line) is written only when more text follows. UTF-16 units in an array: appending characters to a string took twice as long.
 */
export class TextBuffer {
  #units: Uint16Array;
  #length = 0;
  /** What must stand before the next character. */
  #pending: number = nothing;

  constructor(capacity: number) {
    // One array for all pages: a new one for each took a tenth of the time. Safe, because a page is read without awaiting anything.
    if (shared.length < capacity + 16) shared = new Uint16Array(Math.min(2 * capacity + 16, mostShared));
    this.#units = shared.length < capacity + 16 ? new Uint16Array(capacity + 16) : shared;
  }

  get length(): number {
    return this.#length;
  }

  get endsWithLess(): boolean {
    return this.#length > 0 && this.#units[this.#length - 1] === 60;
  }

  /** Asks for at least this separation before the next text. */
  separate(by: number): void {
    if (by > this.#pending) this.#pending = by;
  }

  /** Text of a page from here to there, without entities, white space collapsed. */
  collapse(source: string, from: number, to: number): void {
    this.#reserve(to - from + 2);
    const units = this.#units;
    let length = this.#length;
    let pending = this.#pending;
    for (let at = from; at < to; at += 1) {
      const code = source.charCodeAt(at);
      if (code === 32 || code === 10 || code === 9 || code === 13 || code === 12 || code === 160) {
        if (pending === nothing) pending = space;
      } else if ((code > 32 && code < 127) || !isDropped(code)) {
        if (pending !== nothing) {
          if (length > 0) {
            units[length++] = pending === space ? 32 : pending === tab ? 9 : 10;
            if (pending === blankLine) units[length++] = 10;
          }
          pending = nothing;
        }
        units[length++] = code;
      } else if (code === 0x2028 || code === 0x2029) pending = Math.max(pending, newLine);
      // Without it, `<` and what follows would look like a tag.
      else if (pending === nothing && length > 0 && units[length - 1] === 60) pending = space;
    }
    this.#length = length;
    this.#pending = pending;
  }

  /** The same, with white space preserved. */
  preserve(source: string, from: number, to: number): void {
    for (let at = from; at < to; at += 1) {
      const code = source.charCodeAt(at);
      if (code === 13 || (isDropped(code) && code !== 10 && code !== 9)) {
        if (this.endsWithLess) this.separate(space);
        continue;
      }
      if (code === 10 && this.#pending >= newLine) continue;
      this.#reserve(3);
      if (this.#pending !== nothing && this.#length > 0) {
        this.#units[this.#length++] = this.#pending === space ? 32 : this.#pending === tab ? 9 : 10;
        if (this.#pending === blankLine) this.#units[this.#length++] = 10;
      }
      this.#pending = nothing;
      this.#units[this.#length++] = code === 160 ? 32 : code;
    }
  }

  /** Where text begins, at this position or behind the line breaks that stand there. */
  afterBreaks(from: number): number {
    let at = from;
    while (at < this.#length && this.#units[at] === 10) at += 1;
    return at;
  }

  toString(): string {
    return Buffer.from(this.#units.buffer, 0, 2 * this.#length).toString('utf16le');
  }

  #reserve(more: number): void {
    const needed = this.#length + more + 2;
    if (needed <= this.#units.length) return;
    const larger = new Uint16Array(2 * needed);
    larger.set(this.#units);
    this.#units = larger;
  }
}

let shared = new Uint16Array(1 << 16);
const mostShared = 1 << 22;

export const nothing = 0;
export const space = 1;
export const tab = 2;
export const newLine = 3;
export const blankLine = 4;

/** Controls, and what has no width: soft hyphen, zero-width space and joiner, byte order mark, line separators. */
function isDropped(code: number): boolean {
  if (code < 0xad) return code < 32 || (code >= 127 && code < 160);
  return (
    code === 0xad ||
    (code >= 0x200b && code <= 0x200f) ||
    code === 0x2028 ||
    code === 0x2029 ||
    (code >= 0x202a && code <= 0x202e) ||
    code === 0x2060 ||
    code === 0xfeff ||
    code >= 0xfffe
  );
}
