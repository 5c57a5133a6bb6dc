import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { type BlobReference, type Blobs, readBlob } from '../blobs/blobs.ts';
import { ownAll } from '../blobs/owners/blob-owners.ts';
import type { Database } from '../database/database.ts';
import type { JobFiles } from '../processor/processor.ts';
import { newFile, type Request, type ResultFile } from '../request/request.ts';
import type { Clock } from '../time/clock.ts';

/** Contents up to this size travel inside the message; larger ones become blobs, and the message holds a reference. */
export const inlineLimit = 64 * 1024;
/** Limit on the small contents that one stage adds to the message: a book has thousands of small pages. */
const inlineTotal = 1024 * 1024;

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

/** Changes a copy, so that unknown fields of a later version are kept. */
function asReference(file: ResultFile, { hash, size }: BlobReference): ResultFile {
  return { ...file, content: new Uint8Array(), blob: hash, size: BigInt(size) };
}

/** Replaces references by their contents, for a producer that doesn't know references. */
export async function inlineReferences(blobs: Blobs, request: Request): Promise<void> {
  request.results = await Promise.all(
    request.results.map(async (file) => {
      if (file.blob === '') return file;
      const content = await readBlob(blobs, file.blob);
      return { ...file, content, blob: '' };
    }),
  );
}

/**
 * The files as a processor sees them; `result()` returns what it left. The original list is not changed. Large contents
 * are stored as they are written, without an owner yet: those of a failed job are swept after a day. Without `put`, as in
 * tests, everything stays in memory.
 */
export function openJobFiles(
  blobs: Pick<Blobs, 'get'> & Partial<Pick<Blobs, 'put'>>,
  files: readonly ResultFile[],
): JobFiles & { result(): Promise<ResultFile[]> } {
  const byName = new Map(files.map((file) => [file.name, file]));
  const stored: Promise<void>[] = [];
  let inline = 0;
  const find = (name: string): ResultFile => {
    const file = byName.get(name);
    if (!file)
      throw new Error(`the request has no file ${name}; it has: ${[...byName.keys()].join(', ') || 'none'}`);
    return file;
  };
  const staysInline = ({ length }: Uint8Array) => {
    if (length > inlineLimit || inline + length > inlineTotal) return false;
    inline += length;
    return true;
  };
  const store = async (file: ResultFile) => {
    const reference = await blobs.put?.(file.content);
    // Unless the file was replaced or removed meanwhile.
    if (reference && byName.get(file.name) === file) byName.set(file.name, asReference(file, reference));
  };
  return {
    names: () => [...byName.keys()],
    size: (name) => sizeOf(find(name)),
    async read(name) {
      const file = find(name);
      return file.blob === '' ? file.content : readBlob(blobs, file.blob);
    },
    async save(name, path) {
      const file = find(name);
      const content = file.blob === '' ? [file.content] : blobs.get(file.blob);
      await pipeline(content, createWriteStream(path, { flags: 'wx', mode: 0o600 }));
    },
    write(name, content) {
      // User processors are not type-checked, and passing text is the most likely mistake.
      if (!(content instanceof Uint8Array)) {
        throw new TypeError(
          `write(${name}): the content must be a Buffer or Uint8Array, not ${typeof content}`,
        );
      }
      const file = newFile(name, content);
      byName.set(name, file);
      if (staysInline(content)) return Promise.resolve();
      const storing = store(file);
      // If the processor doesn't await it, `result` reports the failure.
      storing.catch(() => {});
      stored.push(storing);
      return storing;
    },
    remove(name) {
      byName.delete(name);
    },
    async result() {
      await Promise.all(stored);
      return [...byName.values()];
    },
  };
}

export function sizeOf(file: ResultFile): number {
  return file.blob === '' ? file.content.length : Number(file.size);
}
