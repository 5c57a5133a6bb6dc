import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { diskFull } from '../../disk/disk-reserve.ts';
import { isSystemError } from '../../files/system-error.ts';
import type { BlobReference } from '../blobs.ts';

/** Writes a new file chunk by chunk. Resolves to its hash and size when it is on disk. */
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
  // The content under a name never changes, so the file is read-only.
  const file = await open(path, 'wx', 0o400);
  try {
    await file.writeFile(counted());
    await file.datasync();
  } catch (error) {
    throw isSystemError(error, 'ENOSPC', 'EDQUOT') ? diskFull(error) : error;
  } finally {
    await file.close();
  }
  return { hash: digest.digest('hex'), size };
}
