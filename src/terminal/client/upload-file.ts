import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { hasCode, PismakError } from '../../engine/errors.ts';
import { reasonOf } from '../../engine/files/system-error.ts';
import { uploadCreate, uploadFinish, uploadShow } from '../../engine/operation/operations/upload.ts';
import { type Clock, sleep } from '../../engine/time/clock.ts';
import type { Client } from './client.ts';

const partBytes = 16 * 1024 * 1024;
const mostAttempts = 8;

export async function hashFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk);
  return hash.digest('hex');
}

/** In bytes. Fails if there is no such file. */
export async function sizeOfFile(path: string): Promise<number> {
  const found = await stat(path).catch((error: unknown) => {
    throw new PismakError('invalid-input', `${path} can't be read: ${reasonOf(error)}`, { cause: error });
  });
  if (!found.isFile()) throw new PismakError('invalid-input', `${path} is not a file`);
  return found.size;
}

/** Uploads a file; a large one in parts, so that a broken connection costs only one part. */
export async function uploadFile(
  client: Client,
  path: string,
  { clock, signal }: { clock: Clock; signal: AbortSignal },
): Promise<{ hash: string; size: number }> {
  const size = await sizeOfFile(path);
  if (size <= partBytes) return client.upload(createReadStream(path));
  const { upload } = await client.call(uploadCreate, {});
  const file = await open(path);
  try {
    let offset = 0;
    for (let failures = 0; offset < size; ) {
      signal.throwIfAborted();
      const part = Buffer.alloc(Math.min(partBytes, size - offset));
      const { bytesRead } = await file.read(part, 0, part.length, offset);
      if (bytesRead < part.length)
        throw new PismakError('conflict', `${path} became shorter during the upload`);
      try {
        ({ offset } = await client.uploadPart(upload, offset, part));
        failures = 0;
      } catch (error) {
        if ((!hasCode(error, 'unavailable') && !hasCode(error, 'conflict')) || ++failures >= mostAttempts)
          throw error;
        await sleep(clock, 250 * 2 ** failures, signal);
        // The part may have arrived, and only the answer was lost.
        ({ offset } = await client.call(uploadShow, { upload }));
      }
    }
  } finally {
    await file.close();
  }
  return client.call(uploadFinish, { upload });
}
