import { constants, type Stats } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import type { BlobReference, Blobs } from '../blobs/blobs.ts';
import { isSystemError } from '../files/system-error.ts';
import { shorten } from '../ground/shorten.ts';
import { Slots } from '../turns/slots.ts';
import { type FromHost, outputName, type WireFile } from './host-protocol.ts';
import type { ProcessFolders } from './process-folders.ts';
import { Refusal } from './refusal.ts';

/** How many files are read or stored at once for one job. */
const atOnce = 4;
/** A request may have 50,000 files; a processor may ask for all of them at once. */
const mostWaiting = 100_000;

/** The bytes that a process gets and leaves for one job, while this is not closed: those of the job's files, and no others. */
export class JobBytes {
  readonly number: number;
  readonly #blobs: Blobs;
  readonly #folders: ProcessFolders;
  readonly #largestFileBytes: number;
  /** What belongs to the job: the files that it came with, and those that its process has made. */
  readonly #known: Map<string, BlobReference>;
  readonly #placed = new Map<string, Promise<string>>();
  readonly #slots = new Slots(atOnce);
  #isOver = false;

  constructor(parts: {
    number: number;
    blobs: Blobs;
    folders: ProcessFolders;
    files: readonly WireFile[];
    largestFileBytes?: number | undefined;
  }) {
    this.number = parts.number;
    this.#blobs = parts.blobs;
    this.#folders = parts.folders;
    this.#largestFileBytes = parts.largestFileBytes ?? 4 * 1024 ** 3;
    this.#known = new Map(
      parts.files.flatMap((file) => ('blob' in file ? [[file.blob.hash, file.blob]] : [])),
    );
  }

  /** Resolves to the path of a file with the content, which the process can read. */
  fetch(hash: string): Promise<string> {
    if (!this.#known.has(hash))
      throw new Refusal(`it asked for the blob ${shorten(hash, 64)}, which is no file of its request`);
    const placed = this.#placed.get(hash) ?? this.#run(() => this.#place(hash));
    this.#placed.set(hash, placed);
    placed.catch(() => this.#placed.delete(hash));
    return placed;
  }

  /** Stores a file that the process has left. */
  store(id: number): Promise<BlobReference> {
    return this.#run(async () => {
      const file = await openOutput(join(this.#folders.own, outputName(id)));
      try {
        const reference = await this.#blobs.put(this.#contentOf(file, await file.stat()));
        this.#known.set(reference.hash, reference);
        return reference;
      } finally {
        await file.close();
      }
    });
  }

  /** The files that the process leaves, with our own idea of what is behind a reference. */
  checked(files: Extract<FromHost, { type: 'done' }>['files']): typeof files {
    return files.map((file) => {
      if (!('blob' in file)) return file;
      const blob = this.#known.get(file.blob.hash);
      if (blob) return { name: file.name, blob };
      throw new Refusal(`it returned the blob ${shorten(file.blob.hash, 64)}, which it has not made`);
    });
  }

  async close(): Promise<void> {
    this.#isOver = true;
    if (this.#placed.size > 0) await this.#folders.drop(`${this.number}`);
  }

  #place(hash: string): Promise<string> {
    const place = (path: string) => this.#blobs.place(hash, path);
    return this.#folders.add(`${this.number}`, hash, place, () => this.#isOver);
  }

  async *#contentOf(file: FileHandle, found: Stats): AsyncGenerator<Uint8Array> {
    if (!found.isFile()) throw new Refusal('its output is not a plain file');
    if (found.size > this.#largestFileBytes)
      throw new Refusal(`its output has ${found.size} bytes; the limit is ${this.#largestFileBytes}`);
    // It may be growing.
    if (found.size > 0) yield* file.createReadStream({ start: 0, end: found.size - 1, autoClose: false });
  }

  async #run<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#slots.waiting > mostWaiting) throw new Refusal('it asks for too much at once');
    return this.#slots.run(work);
  }
}

/** Follows no link, and waits for nobody to write into a pipe. */
async function openOutput(path: string): Promise<FileHandle> {
  try {
    return await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if (isSystemError(error, 'ELOOP')) throw new Refusal('its output is a link, not a plain file');
    if (isSystemError(error, 'ENXIO')) throw new Refusal('its output is not a plain file');
    if (isSystemError(error, 'ENOENT')) throw new Refusal('its output is missing');
    throw error;
  }
}
