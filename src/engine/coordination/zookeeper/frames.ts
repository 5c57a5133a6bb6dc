/** No answer that we can get is as long; a longer one is no ZooKeeper, or lies. */
const longest = 64 * 1024 * 1024;

/** Cuts a stream of bytes into messages, each of which comes after its length. */
export class Frames {
  #chunks: Buffer[] = [];
  #bytes = 0;
  #needed = 4;

  /** The messages that are complete with this piece. */
  *add(chunk: Buffer): Generator<Buffer> {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    // Pieces are joined only when a message is complete, so a long one costs no copy per piece.
    while (this.#bytes >= this.#needed) {
      const all = this.#chunks.length === 1 ? (this.#chunks[0] ?? chunk) : Buffer.concat(this.#chunks);
      const length = all.readInt32BE();
      if (length < 0 || length > longest) throw new RangeError(`A message of ${length} bytes is announced`);
      const end = 4 + length;
      const complete = all.length >= end;
      const rest = complete ? all.subarray(end) : all;
      this.#chunks = rest.length > 0 ? [rest] : [];
      this.#bytes = rest.length;
      this.#needed = complete ? 4 : end;
      if (complete) yield all.subarray(4, end);
    }
  }
}

export function frame(message: Buffer): Buffer {
  const bytes = Buffer.allocUnsafe(4 + message.length);
  bytes.writeInt32BE(message.length);
  message.copy(bytes, 4);
  return bytes;
}
