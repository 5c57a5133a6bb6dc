import { rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fetchCopy } from '../blobs/cache.ts';
import { linkOrCopy } from '../files/link-or-copy.ts';
import { shorten } from '../ground/shorten.ts';
import { type StageVersion, stageKey } from './host-protocol.ts';
import type { ProcessFolders } from './process-folders.ts';
import { Refusal } from './refusal.ts';
import type { StageCode } from './stage-code.ts';

const folder = 'stage';

/** The files of the stages that are loaded in a process, such as models: it can read these, and those of no other stage. */
export class StageBytes {
  readonly #folders: ProcessFolders;
  readonly #codes = new Map<string, StageCode>();
  readonly #placed = new Map<string, Promise<string>>();
  /** Each is copied to this machine again at most once. */
  readonly #damaged = new Set<string>();

  constructor(folders: ProcessFolders) {
    this.#folders = folders;
  }

  allow(code: StageCode): void {
    this.#codes.set(stageKey(code.stage), code);
  }

  /** Synchronous, because the stage may be loaded again at once. The cache keeps the bytes. */
  forget(stage: StageVersion): void {
    this.#codes.delete(stageKey(stage));
    for (const hash of [...this.#placed.keys()].filter((each) => !this.#isUsed(each))) {
      this.#placed.delete(hash);
      rmSync(join(this.#folders.inputs, folder, hash), { force: true });
    }
  }

  /** Resolves to the path of the file. `isDamaged`: what the process got before has another content. */
  fetch(stage: StageVersion, hash: string, isDamaged: boolean): Promise<string> {
    const code = this.#codes.get(stageKey(stage));
    const file = code?.stage.files.find((each) => each.hash === hash);
    if (!code || !file)
      throw new Refusal(`it asked for the blob ${shorten(hash, 64)}, which is no file of its stage`);
    const isAgain = isDamaged && !this.#damaged.has(hash);
    if (isAgain) this.#damaged.add(hash);
    const known = isAgain ? undefined : this.#placed.get(hash);
    const placed = known ?? this.#place(code, file, isAgain);
    this.#placed.set(hash, placed);
    placed.catch(() => this.#placed.delete(hash));
    return placed;
  }

  #isUsed(hash: string): boolean {
    return [...this.#codes.values()].some(({ stage }) => stage.files.some((file) => file.hash === hash));
  }

  #place(
    { blobs, cache }: StageCode,
    file: StageCode['stage']['files'][number],
    isDamaged: boolean,
  ): Promise<string> {
    const copy = join(cache, file.hash);
    const make = async (path: string) => {
      if (isDamaged) await rm(copy, { force: true });
      await fetchCopy(blobs, file, cache);
      await linkOrCopy(copy, path);
    };
    return this.#folders.add(folder, file.hash, make, () => !this.#isUsed(file.hash));
  }
}
