import { rm } from 'node:fs/promises';
import { PismakError } from '../ground/errors.ts';
import type { Blobs } from './blobs.ts';
import { openDirectoryBlobs } from './directory.ts';

/**
 * Blobs for work that leaves nothing behind: reads what is stored, and keeps what is put in a directory that `close` removes. At most
 * `most` bytes may be put.
 */
export async function openOverlay(stored: Blobs, directory: string, most: number): Promise<Blobs> {
  const own = await openDirectoryBlobs(directory);
  let bytes = 0;

  async function* counted(content: Uint8Array | AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of content instanceof Uint8Array ? [content] : content) {
      bytes += chunk.length;
      if (bytes > most) throw new PismakError('too-large', `the results have more than ${most / 2 ** 20} MB`);
      yield chunk;
    }
  }
  const where = async (hash: string) => ((await own.has(hash)) ? own : stored);

  return {
    put: (content) => own.put(counted(content)),
    async *get(hash) {
      yield* (await where(hash)).get(hash);
    },
    place: async (hash, path) => (await where(hash)).place(hash, path),
    has: async (hash) => (await own.has(hash)) || stored.has(hash),
    size: async (hash) => (await where(hash)).size(hash),
    remove: (hash, options) => own.remove(hash, options),
    list: () => own.list(),
    async close() {
      await own.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
