import { type Blobs, readBlob } from '../blobs/blobs.ts';
import { ownAll } from '../blobs/owners/blob-owners.ts';
import type { Database } from '../database/database.ts';
import type { Request, ResultFile } from '../request/request.ts';
import type { Clock } from '../time/clock.ts';
import { asReference, inlineLimit } from './job-files.ts';

/** The owner of a request's blobs until its results are collected. */
export function requestOwner({ uuid, owner }: Pick<Request, 'uuid' | 'owner'>): string {
  // Includes the user's name: a request with another user's uuid must not own that user's blobs.
  return `request:${owner}:${uuid}`;
}

/**
 * Moves large contents to blobs and owns every blob that the request doesn't own yet. Call this before publishing the
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

/** Puts contents back in the place of references, for a producer that doesn't know them. */
export async function inlineReferences(blobs: Blobs, request: Request): Promise<void> {
  request.results = await Promise.all(
    request.results.map(async (file) => {
      if (file.blob === '') return file;
      const content = await readBlob(blobs, file.blob);
      return { ...file, content, blob: '' };
    }),
  );
}
