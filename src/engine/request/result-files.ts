import { ownAll } from '../blob-owners/blob-owners.ts';
import { type BlobReference, type Blobs, readBlob } from '../blobs/blobs.ts';
import { usualMaxBytes } from '../broker/checks.ts';
import type { Database } from '../database/database.ts';
import { PismakError } from '../ground/errors.ts';
import type { Clock } from '../time/clock.ts';
import type { Request, ResultFile } from './request.ts';

/** Contents up to this size travel inside the message; larger ones are stored in Blobs, and the message holds a reference. */
export const inlineLimit = 64 * 1024;

/** The owner of a request's blobs until its results are collected. */
export function requestOwner({ uuid, owner }: Pick<Request, 'uuid' | 'owner'>): string {
  // Includes the user's name: a request with another user's uuid must not own that user's blobs.
  return `request:${owner}:${uuid}`;
}

/**
 * Moves large contents to blobs, and makes the request an owner of every blob that it doesn't own yet. Call this before publishing the
 * request.
 */
export async function storeLarge(
  parts: { blobs: Blobs; database: Database; clock: Clock },
  request: Request,
  owned: ReadonlySet<string> = new Set(),
): Promise<void> {
  request.results = await storeLargeFiles(parts.blobs, request.results);
  const fresh = request.results.map((file) => file.blob).filter((hash) => hash !== '' && !owned.has(hash));
  if (fresh.length === 0) return;
  request.ownsBlobs = true;
  await ownAll(parts.database.query, fresh, requestOwner(request), parts.clock.now());
}

/** The same files, with large ones by reference. The new blobs have no owner yet. */
async function storeLargeFiles(blobs: Blobs, files: readonly ResultFile[]): Promise<ResultFile[]> {
  return Promise.all(
    files.map(async (file) => {
      if (file.content.length <= inlineLimit) return file;
      return asReference(file, await blobs.put(file.content));
    }),
  );
}

/** Replaces references by the contents, for a producer that doesn't know references. */
export async function inlineReferences(blobs: Blobs, request: Request): Promise<void> {
  let bytes = 0;
  const inline: ResultFile[] = [];
  for (const file of request.results) {
    // One by one, and no more in all than a message can hold: they are all in memory.
    if (bytes + sizeOf(file) > usualMaxBytes) {
      throw new PismakError('message-too-large', `its files have more than ${usualMaxBytes} bytes in all`);
    }
    const content = file.blob === '' ? file.content : await readBlob(blobs, file.blob);
    bytes += content.length;
    inline.push({ ...file, content, blob: '' });
  }
  request.results = inline;
}

export function sizeOf(file: ResultFile): number {
  return file.blob === '' ? file.content.length : Number(file.size);
}

/** Copied, not rebuilt: fields that a later version has added are kept. */
export function asReference(file: ResultFile, { hash, size }: BlobReference): ResultFile {
  return { ...file, content: new Uint8Array(), blob: hash, size: BigInt(size) };
}
