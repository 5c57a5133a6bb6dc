import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { PismakError } from '../../errors.ts';
import { isSystemError } from '../../files/system-error.ts';
import type { BlobReference } from '../blobs.ts';

/** Writes a new file, chunk by chunk, and tells what it has written when the disk has it. */
export async function writeContent(
  path: string,
  content: Uint8Array | AsyncIterable<Uint8Array>,
): Promise<BlobReference> {
  const digest = createHash('sha256');
  let size = 0;
  async function* counted() {
    for await (const chunk of content instanceof Uint8Array ? [content] : content) {
      digest.update(chunk);
      size += chunk.byteLength;
      yield chunk;
    }
  }
  // Content never changes under its name, so nobody gets the right to write.
  const file = await open(path, 'wx', 0o400);
  try {
    await file.writeFile(counted());
    await file.datasync();
  } catch (error) {
    throw isSystemError(error, 'ENOSPC', 'EDQUOT')
      ? new PismakError('unavailable', `The disk is full: ${path} cannot be written`, { cause: error })
      : error;
  } finally {
    await file.close();
  }
  return { hash: digest.digest('hex'), size };
}

/** Passes the bytes on, and fails at the end when they are not what `hash` says. */
export async function* verified(
  content: AsyncIterable<Uint8Array>,
  hash: string,
): AsyncGenerator<Uint8Array, void, undefined> {
  const digest = createHash('sha256');
  for await (const chunk of content) {
    digest.update(chunk);
    yield chunk;
  }
  if (digest.digest('hex') !== hash) {
    throw new PismakError(
      'blob-corrupt',
      `The stored content of blob ${hash} has changed: restore it from a backup`,
    );
  }
}

export function isHash(text: string): boolean {
  return /^[0-9a-f]{64}$/.test(text);
}

/** Names come from requests: only what can be nothing but a hash may become part of a path. */
export function checkHash(hash: string): void {
  if (isHash(hash)) return;
  throw new PismakError('invalid-input', 'A blob is named by 64 lower-case hexadecimal digits');
}
