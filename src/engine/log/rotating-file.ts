import { closeSync, fstatSync, mkdirSync, openSync, renameSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * A log file that never fills the disk: a full file becomes `NAME.1` (replacing the previous one) and a new one
 * starts. Lines are written at once, so that a dying process leaves its last lines.
 */
export class RotatingFile {
  readonly #path: string;
  readonly #limit: number;
  #descriptor: number;
  #size: number;

  constructor(path: string, limit = 16 * 1024 * 1024) {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    this.#path = path;
    this.#limit = limit;
    this.#descriptor = openSync(path, 'a', 0o600);
    this.#size = fstatSync(this.#descriptor).size;
  }

  write(line: string): void {
    try {
      this.#size += writeSync(this.#descriptor, line);
      if (this.#size >= this.#limit) this.#rotate();
    } catch {
      // A full disk must not stop the work: the console still gets the line, and an alert reports the disk.
    }
  }

  close(): void {
    closeSync(this.#descriptor);
  }

  #rotate(): void {
    renameSync(this.#path, `${this.#path}.1`);
    closeSync(this.#descriptor);
    this.#descriptor = openSync(this.#path, 'a', 0o600);
    this.#size = 0;
  }
}
