import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

/** Random access to a file without loading it. Synchronous, for parsers and for libraries that call back. */
export class FileBytes {
  readonly #file: number;
  readonly size: number;
  /** The last block read, because parsers read in small steps. */
  #window = Buffer.alloc(0);
  #windowAt = 0;

  constructor(path: string) {
    this.#file = openSync(path, 'r');
    this.size = fstatSync(this.#file).size;
  }

  /** Exactly `length` bytes, valid until the next call; undefined if they are not all in the file. */
  read(at: number, length: number): Buffer | undefined {
    if (!(at >= 0 && length >= 0 && at + length <= this.size)) return undefined;
    const from = at - this.#windowAt;
    if (from >= 0 && from + length <= this.#window.length) return this.#window.subarray(from, from + length);
    const window = Buffer.allocUnsafe(Math.min(Math.max(length, windowSize), this.size - at));
    this.#window = window.subarray(0, this.readInto(window, at));
    this.#windowAt = at;
    return this.#window.length < length ? undefined : this.#window.subarray(0, length);
  }

  /** Fills the given memory and returns the number of bytes read. */
  readInto(memory: Uint8Array, at: number): number {
    for (let done = 0; done < memory.length; ) {
      const read = readSync(this.#file, memory, done, memory.length - done, at + done);
      if (read === 0) return done;
      done += read;
    }
    return memory.length;
  }

  close(): void {
    closeSync(this.#file);
  }
}

const windowSize = 64 * 1024;
