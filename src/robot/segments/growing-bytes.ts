/** Buffers for reuse: allocating new megabytes for every report costs the kernel as much as filling them. */
const spare: Buffer[] = [];
const mostSpare = 12;
const largestSpare = 4 << 20;
const firstRoom = 1 << 18;

/**
 * A growing buffer of text. Strings and buffers that are copied here at once die young. If they were kept until the report, they would survive two
 * minor collections, and a full collection would run every second.
 */
export class GrowingBytes {
  #bytes: Buffer = Buffer.alloc(0);
  length = 0;

  /** Returns how many bytes it took. */
  write(text: string, encoding: 'utf8' | 'latin1' = 'utf8'): number {
    this.#reserve(encoding === 'utf8' ? 3 * text.length : text.length);
    const written = this.#bytes.write(text, this.length, encoding);
    this.length += written;
    return written;
  }

  append(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.length);
    this.length += bytes.length;
  }

  /** Valid until `giveBack`. */
  get content(): Buffer {
    return this.#bytes.subarray(0, this.length);
  }

  giveBack(): void {
    const { length } = this.#bytes;
    if (length > 0 && length <= largestSpare && spare.length < mostSpare) spare.push(this.#bytes);
    this.#bytes = Buffer.alloc(0);
    this.length = 0;
  }

  #reserve(more: number): void {
    const needed = this.length + more;
    if (needed <= this.#bytes.length) return;
    const known = this.length === 0 ? spare.pop() : undefined;
    if (known && known.length >= needed) {
      this.#bytes = known;
      return;
    }
    const larger = Buffer.allocUnsafeSlow(Math.max(firstRoom, 2 * needed));
    this.#bytes.copy(larger, 0, 0, this.length);
    this.#bytes = larger;
  }
}
