import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { reasonOf } from '../../engine/files/system-error.ts';
import { type ErrorCode, hasCode, PismakError } from '../../engine/ground/errors.ts';
import { uploadCreate, uploadFinish, uploadShow } from '../../engine/operation/operations/upload.ts';
import { type Clock, sleep } from '../../engine/time/clock.ts';
import type { Client } from './client.ts';

/** A larger file is sent in parts of this size. */
export const partBytes = 16 * 1024 * 1024;
const mostAttempts = 8;

export async function hashFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path, { highWaterMark: 2 ** 20 })) hash.update(chunk);
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

/**
 * Uploads a file. A large one travels in parts, so that a broken connection costs only one part; if this process ends too, the next
 * upload of the same content continues. Content that is stored already, and that the user may use, does not travel.
 */
export async function uploadFile(
  client: Client,
  path: string,
  { clock, signal, hash }: { clock: Clock; signal: AbortSignal /** If known. */; hash?: string },
): Promise<{ hash: string; size: number }> {
  const size = await sizeOfFile(path);
  if (size <= partBytes) return client.upload(createReadStream(path));
  const content = { hash: hash ?? (await hashFile(path)) };
  const { upload, offset: arrived } = await persist(() => client.call(uploadCreate, content));
  const file = await open(path);
  try {
    for (let offset = arrived; offset < size; ) {
      const part = Buffer.alloc(Math.min(partBytes, size - offset));
      const { bytesRead } = await file.read(part, 0, part.length, offset);
      if (bytesRead < part.length)
        throw new PismakError('conflict', `${path} became shorter during the upload`);
      const at = offset;
      offset = await persist(
        async (attempt) => {
          // The part may have arrived, and only the answer was lost.
          const { offset } = attempt === 0 ? { offset: at } : await client.call(uploadShow, { upload });
          return offset === at ? (await client.uploadPart(upload, at, part)).offset : offset;
        },
        ['unavailable', 'conflict'],
      );
    }
  } finally {
    await file.close();
  }
  return persist(() => client.call(uploadFinish, { upload }));

  /** Repeats work that a broken connection or another sender of the same content interrupted. */
  async function persist<T>(
    work: (attempt: number) => Promise<T>,
    passing: readonly ErrorCode[] = ['unavailable'],
  ): Promise<T> {
    for (let attempt = 0; ; ) {
      signal.throwIfAborted();
      try {
        return await work(attempt);
      } catch (error) {
        if (!passing.some((code) => hasCode(error, code)) || ++attempt >= mostAttempts) throw error;
        await sleep(clock, 250 * 2 ** attempt, signal);
      }
    }
  }
}
