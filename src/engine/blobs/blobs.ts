/**
 * The port to bytes. Content-addressed: the name of a blob is the SHA-256 of its content, so writing twice is harmless
 * and what is read can be verified.
 *
 * - `put` resolves only when the bytes survive power loss. A broken stream leaves nothing behind.
 * - `get` verifies while it streams: the last read fails with `blob-corrupt` when the content is not what was put.
 */
export interface Blobs {
  put(content: Uint8Array | AsyncIterable<Uint8Array>): Promise<BlobReference>;
  /** Fails with `blob-missing` on the first read when there is none. */
  get(hash: string): AsyncIterable<Uint8Array>;
  has(hash: string): Promise<boolean>;
  /**
   * Resolves to whether it is gone by this call; no error when it is not there. With `storedBefore`, only if its last
   * `put` is older, even when one comes at this very moment.
   */
  remove(hash: string, options?: { storedBefore?: number }): Promise<boolean>;
  /** Everything there is, in no order, while others write. `storedAt` is the time of the last `put`. */
  list(): AsyncIterable<BlobReference & { storedAt: number }>;
  close(): Promise<void>;
}

export interface BlobReference {
  /** SHA-256, 64 lower-case hexadecimal digits. */
  hash: string;
  size: number;
}

/** The whole content in memory: for what is known to be small. */
export async function readBlob(blobs: Pick<Blobs, 'get'>, hash: string): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of blobs.get(hash)) chunks.push(chunk);
  return Buffer.concat(chunks);
}
