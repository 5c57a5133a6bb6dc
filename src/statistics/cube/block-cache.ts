import type { Block } from '../columns/block.ts';

/** Blocks in memory, by the metadata that describes them; bounded in bytes, the least recently used go first. */
export class BlockCache {
  readonly #most: number;
  readonly #blocks = new Map<object, Block>();
  #bytes = 0;

  constructor(mostBytes: number) {
    this.#most = mostBytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get(key: object): Block | undefined {
    const block = this.#blocks.get(key);
    if (!block) return undefined;
    this.#blocks.delete(key);
    this.#blocks.set(key, block);
    return block;
  }

  set(key: object, block: Block): void {
    this.delete(key);
    this.#blocks.set(key, block);
    this.#bytes += block.bytes;
    for (const oldest of this.#blocks.keys()) {
      if (this.#bytes <= this.#most) break;
      this.delete(oldest);
    }
  }

  delete(key: object): void {
    const block = this.#blocks.get(key);
    if (!block) return;
    this.#blocks.delete(key);
    this.#bytes -= block.bytes;
  }
}
