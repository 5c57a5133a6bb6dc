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
