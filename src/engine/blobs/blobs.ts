/**
 * The blob port. Content-addressed: the name of a blob is the SHA-256 of its content, so writing twice is harmless and
 * reads can be verified.
 *
 * - `put` resolves only when the bytes survive power loss. A broken stream leaves nothing behind.
 * - `get` verifies while it streams: the last read fails with `blob-corrupt` if the content has changed.
 */
export interface Blobs {
  put(content: Uint8Array | AsyncIterable<Uint8Array>): Promise<BlobReference>;
  /** Throws `blob-missing` on the first read if the blob does not exist. */
  get(hash: string): AsyncIterable<Uint8Array>;
  /**
   * Makes a new file with the content, without a copy if possible: nobody may write to it. Unverified. Throws `blob-missing` if the blob
   * does not exist.
   */
  place(hash: string, path: string): Promise<void>;
  has(hash: string): Promise<boolean>;
  /** In bytes, known without reading the content. Throws `blob-missing` if the blob does not exist. */
  size(hash: string): Promise<number>;
  /**
   * Resolves to whether this call removed the blob; a missing blob is not an error. With `storedBefore`, removes it only if
   * its last `put` is older, even if a `put` arrives at this very moment.
   */
  remove(hash: string, options?: { storedBefore?: number }): Promise<boolean>;
  /** All blobs, in any order, while others write. `storedAt` is the time of the last `put`. */
  list(): AsyncIterable<BlobReference & { storedAt: number }>;
  close(): Promise<void>;
}

export interface BlobReference {
  /** SHA-256, 64 lower-case hexadecimal digits. */
  hash: string;
  size: number;
}

/** Reads the whole content into memory; for small blobs only. */
export async function readBlob(blobs: Pick<Blobs, 'get'>, hash: string): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of blobs.get(hash)) chunks.push(chunk);
  return Buffer.concat(chunks);
}
