/** Longer than any real answer: the other side is not ZooKeeper, or sends garbage. */
const longest = 64 * 1024 * 1024;

/** Splits a byte stream into length-prefixed messages. */
export class Frames {
  #chunks: Buffer[] = [];
  #bytes = 0;
  #needed = 4;

  /** Yields the messages that this chunk completes. */
  *add(chunk: Buffer): Generator<Buffer> {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    // Chunks are joined only when a message is complete, so a long message costs no copy per chunk.
    while (this.#bytes >= this.#needed) {
      const all = this.#chunks.length === 1 ? (this.#chunks[0] ?? chunk) : Buffer.concat(this.#chunks);
      const length = all.readInt32BE();
      if (length < 0 || length > longest)
        throw new RangeError(`The server announced a message of ${length} bytes`);
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
