import { mkdirSync, mkdtempSync, renameSync } from 'node:fs';
import { rm, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { removeLeftovers, temporaryName } from '../files/temporary-files.ts';
import { workDirectoryName } from '../files/work-directory.ts';
import type { Clock } from '../time/clock.ts';

const touchMs = 60 * 60 * 1000;

/** The directories of one process. They end with it. */
export class ProcessFolders {
  readonly #root: string;
  /** The bytes that it is given. It can't write here, nor see what is still being made. */
  readonly inputs: string;
  /** Its own /tmp, where it leaves new bytes. */
  readonly own: string;
  #made = 0;
  #cancel = () => {};

  /** `root`: where blobs can be linked to, so on their device. */
  constructor(root: string, clock: Clock) {
    mkdirSync(root, { recursive: true, mode: 0o700 });
    this.#root = join(root, temporaryName());
    this.inputs = join(this.#root, 'in');
    for (const path of [this.#root, this.inputs, this.#making]) mkdirSync(path, { mode: 0o700 });
    this.own = mkdtempSync(workDirectoryName());
    this.#touch(clock);
  }

  get #making(): string {
    return join(this.#root, 'making');
  }

  /**
   * Makes the file `name` in the folder of the inputs, and resolves to its path. The process sees it when it is complete, and never if
   * `isOver` by then.
   */
  async add(
    folder: string,
    name: string,
    make: (path: string) => Promise<void>,
    isOver: () => boolean,
  ): Promise<string> {
    const making = join(this.#making, `${++this.#made}`);
    const path = join(this.inputs, folder, name);
    try {
      await make(making);
      if (isOver()) throw new Error('what it was for has ended');
      // Synchronous, so that it can't end in between.
      mkdirSync(join(this.inputs, folder), { recursive: true, mode: 0o700 });
      renameSync(making, path);
      return path;
    } catch (error) {
      await rm(making, { force: true });
      throw error;
    }
  }

  /** Removes a folder of the inputs. */
  async drop(folder: string): Promise<void> {
    await rm(join(this.inputs, folder), { recursive: true, force: true });
  }

  /** When nothing of the process runs any more: it could put links into the way. */
  async remove(): Promise<void> {
    this.#cancel();
    // A copy of ours may not have ended.
    const options = { recursive: true, force: true, maxRetries: 5, retryDelay: 20 };
    await Promise.all([rm(this.#root, options), rm(this.own, options)]);
  }

  /** Other containers can't tell that we are alive, and remove what has not been touched for a day. */
  #touch(clock: Clock): void {
    this.#cancel = clock.after(touchMs, () => {
      const now = new Date(clock.now());
      void utimes(this.#root, now, now).catch(() => {});
      this.#touch(clock);
    });
  }
}

/** Removes what killed processes of ours have left. */
export async function sweepProcessFolders(root: string, clock: Clock): Promise<void> {
  mkdirSync(root, { recursive: true, mode: 0o700 });
  await removeLeftovers(root, clock);
}
