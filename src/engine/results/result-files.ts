import { type Blobs, readBlob } from '../blobs/blobs.ts';
import { ownAll } from '../blobs/owners/blob-owners.ts';
import type { Database } from '../database/database.ts';
import type { Request, ResultFile } from '../request/request.ts';
import type { Clock } from '../time/clock.ts';
import { asReference, inlineLimit } from './job-files.ts';

/** Who owns the blobs of a request until its results have been collected. */
export function requestOwner({ uuid, owner }: Pick<Request, 'uuid' | 'owner'>): string {
  // With the user's name: whoever sends a request with another's uuid must not become the owner of the other's blobs.
  return `request:${owner}:${uuid}`;
}

/**
 * Moves large contents to Blobs and owns every blob of the request that it doesn't own yet: to be called before the
 * request is published.
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

/** The same files, the large ones by reference. Nobody owns the new blobs yet. */
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
