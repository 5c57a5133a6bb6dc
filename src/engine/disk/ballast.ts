import { randomBytes } from 'node:crypto';
import { existsSync, rmSync, writeFileSync } from 'node:fs';

/**
 * A file of a few megabytes, deleted when another program has filled the disk to the last byte: SQLite needs space
 * to delete rows, and this file reserves it. It is written again when the disk has space.
 */
export class Ballast {
  readonly #file: string;
  #exists: boolean;

  constructor(file: string) {
    this.#file = file;
    this.#exists = existsSync(file);
  }

  adjust({ freeBytes, reserveBytes }: { freeBytes: number; reserveBytes: number }): void {
    const size = Math.min(8 * 2 ** 20, Math.floor(reserveBytes / 4));
    if (this.#exists && freeBytes < size / 4) this.#change(() => rmSync(this.#file, { force: true }), false);
    else if (!this.#exists && size > 0 && freeBytes > reserveBytes + 2 * size) {
      // Random bytes: some file systems allocate no space for zeros.
      this.#change(() => writeFileSync(this.#file, randomBytes(size), { mode: 0o600 }), true);
    }
  }

  #change(work: () => void, exists: boolean): void {
    try {
      work();
      this.#exists = exists;
    } catch {
      // Without it, only the last resort is missing; the next check tries again.
    }
  }
}
