/** Small enough for memory and statements, large enough that round trips don't matter. */
export const chunkBytes = 1_048_576;

/** The same bytes in pieces of exactly `chunkBytes`; the last may be shorter. Empty content yields none. */
export async function* chunksOf(
  content: Uint8Array | AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  if (content instanceof Uint8Array) {
    for (let at = 0; at < content.byteLength; at += chunkBytes) yield content.subarray(at, at + chunkBytes);
    return;
  }
  let chunk = Buffer.allocUnsafeSlow(0);
  let filled = 0;
  for await (const piece of content) {
    // Copy: the producer may reuse the memory of the piece.
    for (let at = 0; at < piece.byteLength; ) {
      if (filled === chunk.byteLength) chunk = grown(chunk, filled + piece.byteLength - at);
      const part = piece.subarray(at, at + chunk.byteLength - filled);
      chunk.set(part, filled);
      filled += part.byteLength;
      at += part.byteLength;
      if (filled < chunkBytes) continue;
      yield chunk;
      // What has more than one chunk is large: the next has its size from the beginning.
      chunk = Buffer.allocUnsafeSlow(chunkBytes);
      filled = 0;
    }
  }
  if (filled > 0) yield chunk.subarray(0, filled);
}

/** Doubles the size, so that small content costs little and large content is copied few times. */
function grown(chunk: Buffer<ArrayBuffer>, needed: number): Buffer<ArrayBuffer> {
  const larger = Buffer.allocUnsafeSlow(Math.min(chunkBytes, Math.max(needed, chunk.byteLength * 2)));
  larger.set(chunk);
  return larger;
}
