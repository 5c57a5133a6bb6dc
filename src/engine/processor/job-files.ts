import { createReadStream, createWriteStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { type BlobReference, type Blobs, readBlob } from '../blobs/blobs.ts';
import { newFile, type ResultFile } from '../request/request.ts';
import { asReference, inlineLimit, sizeOf } from '../request/result-files.ts';
import { type JobFiles, PermanentFailure } from './processor.ts';

/** The total size of small contents that one stage may add to the message: a book has thousands of small pages. */
const inlineTotal = 1024 * 1024;

/**
 * Where the contents are that are too large for the message. Without `put`, as in tests, everything stays in memory.
 */
export type FileStore = Pick<Blobs, 'get'> &
  Partial<Pick<Blobs, 'put'>> & { putFile?(path: string): Promise<BlobReference> };

/**
 * The files as a processor sees them; `result()` is what it left. The original list is not changed. Large contents
 * are stored as they are written, and have no owner yet: those of a failed job are swept after a day.
 */
export function openJobFiles(
  blobs: FileStore,
  files: readonly ResultFile[],
): JobFiles & { result(): Promise<ResultFile[]> } {
  const byName = new Map(files.map((file) => [file.name, file]));
  const stored: Promise<void>[] = [];
  let inline = 0;
  const find = (name: string): ResultFile => {
    const file = byName.get(name);
    if (file) return file;
    // The next attempt wouldn't find it either.
    throw new PermanentFailure(
      `the request has no file ${name}; it has: ${listed([...byName.keys()]) || 'none'}`,
    );
  };
  const staysInline = ({ length }: Uint8Array) => {
    if (length > inlineLimit || inline + length > inlineTotal) return false;
    inline += length;
    return true;
  };
  const store = async (file: ResultFile) => {
    const reference = await blobs.put?.(file.content);
    // Unless it has been replaced or removed in the meantime.
    if (reference && byName.get(file.name) === file) byName.set(file.name, asReference(file, reference));
  };
  const storeFrom = async (file: ResultFile, path: string) => {
    const { size } = await stat(path);
    const isSmall = size <= inlineLimit && inline + size <= inlineTotal;
    const replaced = async () => {
      const stored = isSmall
        ? undefined
        : await (blobs.putFile?.(path) ?? blobs.put?.(createReadStream(path)));
      if (stored) return asReference(file, stored);
      inline += size;
      return newFile(file.name, await readFile(path));
    };
    const replacement = await replaced();
    if (byName.get(file.name) === file) byName.set(file.name, replacement);
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
      // Users' processors are not type-checked, and passing text is the most likely mistake.
      if (!(content instanceof Uint8Array)) {
        throw new TypeError(
          `write(${name}): the content must be a Buffer or Uint8Array, not ${typeof content}`,
        );
      }
      const file = newFile(name, content);
      byName.set(name, file);
      if (staysInline(content)) return Promise.resolve();
      const storing = store(file);
      // A caller that doesn't wait for it gets the failure from `result`.
      storing.catch(() => {});
      stored.push(storing);
      return storing;
    },
    writeFrom(name, path) {
      const file = newFile(name, new Uint8Array());
      // At once, because the order of the calls determines the order of the files.
      byName.set(name, file);
      const storing = storeFrom(file, path);
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

/** A request may have thousands of files. */
function listed(names: readonly string[]): string {
  const shown = names.slice(0, 20).map((name) => name.slice(0, 100));
  return [...shown, ...(names.length > 20 ? [`${names.length - 20} more`] : [])].join(', ');
}
