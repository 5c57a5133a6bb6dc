import { type FileHandle, mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';

/** A file that only grows, opened on the first write; cuts off what a killed process left beyond `length`. */
export class GrowingFile {
  readonly path: string;
  #length: number;
  #handle: FileHandle | undefined;

  constructor(path: string, length = 0) {
    this.path = path;
    this.#length = length;
  }

  get length(): number {
    return this.#length;
  }

  async append(bytes: Uint8Array): Promise<void> {
    if (bytes.length === 0) return;
    this.#handle ??= await this.#open();
    let at = 0;
    while (at < bytes.length) {
      const { bytesWritten } = await this.#handle.write(bytes, at, bytes.length - at, this.#length + at);
      at += bytesWritten;
    }
    this.#length += bytes.length;
  }

  async sync(): Promise<void> {
    await this.#handle?.datasync();
  }

  async close(): Promise<void> {
    await this.#handle?.close();
    this.#handle = undefined;
  }

  async #open(): Promise<FileHandle> {
    await mkdir(dirname(this.path), { recursive: true });
    const handle = await open(this.path, this.#length === 0 ? 'w+' : 'r+');
    await handle.truncate(this.#length);
    return handle;
  }
}
