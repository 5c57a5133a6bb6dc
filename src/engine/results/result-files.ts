import { create } from '@bufbuild/protobuf';
import { own } from '../blob-owners.ts';
import { type Blobs, readBlob } from '../blobs/blobs.ts';
import type { Clock } from '../clock.ts';
import type { Database } from '../database/database.ts';
import type { JobFiles } from '../processor/processor.ts';
import type { Request, ResultFile } from '../request/request.ts';
import { ResultFileSchema } from '../request/request_pb.ts';

/** Contents up to this size travel inside the message; larger ones go to Blobs and the message holds a reference. */
export const inlineLimit = 64 * 1024;

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
  for (const file of request.results) {
    if (file.blob === '' || owned.has(file.blob)) continue;
    request.ownsBlobs = true;
    await own(parts.database.query, file.blob, requestOwner(request), parts.clock.now());
  }
}

/** The same files, the large ones by reference. Nobody owns the new blobs yet. */
export async function storeLargeFiles(blobs: Blobs, files: readonly ResultFile[]): Promise<ResultFile[]> {
  return Promise.all(
    files.map(async (file) => {
      if (file.content.length <= inlineLimit) return file;
      const { hash, size } = await blobs.put(file.content);
      // Not made anew: fields that a later version has added go on with it.
      return { ...file, content: new Uint8Array(), blob: hash, size: BigInt(size) };
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

/** What a processor sees of the files; `result()` is what it left. The list it was made from is not touched. */
export function openJobFiles(
  blobs: Pick<Blobs, 'get'>,
  files: readonly ResultFile[],
): JobFiles & { result(): ResultFile[] } {
  const byName = new Map(files.map((file) => [file.name, file]));
  const find = (name: string): ResultFile => {
    const file = byName.get(name);
    if (!file)
      throw new Error(`the request has no file ${name}; it has: ${[...byName.keys()].join(', ') || 'none'}`);
    return file;
  };
  return {
    names: () => [...byName.keys()],
    size: (name) => sizeOf(find(name)),
    async read(name) {
      const file = find(name);
      return file.blob === '' ? file.content : readBlob(blobs, file.blob);
    },
    write(name, content) {
      // Processors of users are not type-checked, and text is the most likely slip.
      if (!(content instanceof Uint8Array)) {
        throw new TypeError(
          `write(${name}): the content must be a Buffer or Uint8Array, not ${typeof content}`,
        );
      }
      byName.set(name, create(ResultFileSchema, { name, content, size: BigInt(content.length) }));
    },
    remove(name) {
      byName.delete(name);
    },
    result: () => [...byName.values()],
  };
}

export function sizeOf(file: ResultFile): number {
  return file.blob === '' ? file.content.length : Number(file.size);
}
