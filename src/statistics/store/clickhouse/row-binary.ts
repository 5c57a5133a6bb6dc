import { type Block, chunkSize, toColumn } from '../../columns/block.ts';
import { tooLarge } from '../../columns/sum-table.ts';

const two32 = 2 ** 32;

/** Writes rows in the format RowBinary: fixed widths, little-endian. */
export class RowWriter {
  #bytes = Buffer.allocUnsafe(1 << 16);
  #at = 0;
  rows = 0;

  /** Room for so many more bytes. */
  need(size: number): void {
    if (this.#at + size <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(2 * this.#bytes.length, this.#at + size));
    this.#bytes.copy(larger, 0, 0, this.#at);
    this.#bytes = larger;
  }

  byte(value: number): void {
    this.#bytes[this.#at++] = value;
  }

  word(value: number): void {
    this.#at = this.#bytes.writeUInt32LE(value, this.#at);
  }

  /** A whole number of at most 2^53 either way, as Int64. */
  long(value: number): void {
    const high = Math.floor(value / two32);
    this.#at = this.#bytes.writeUInt32LE(value - high * two32, this.#at);
    this.#at = this.#bytes.writeInt32LE(high, this.#at);
  }

  taken(): Uint8Array {
    return this.#bytes.subarray(0, this.#at);
  }
}

/** Reads rows of RowBinary. */
export class RowReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get more(): boolean {
    return this.#at < this.#bytes.length;
  }

  byte(): number {
    return this.#bytes[this.#at++] as number;
  }

  word(): number {
    const value = this.#bytes.readUInt32LE(this.#at);
    this.#at += 4;
    return value;
  }

  /** An Int64, or a UInt64 below 2^63. Beyond 2^53 it would be rounded, so it is refused. */
  long(): number {
    const low = this.#bytes.readUInt32LE(this.#at);
    const value = this.#bytes.readInt32LE(this.#at + 4) * two32 + low;
    this.#at += 8;
    if (!Number.isSafeInteger(value)) throw tooLarge();
    return value;
  }
}

/** Collects sums of entities, which come in the order of chunk, split, entity, into one block for each chunk. */
export class BlockCollector {
  readonly blocks: { chunk: number; block: Block }[] = [];
  readonly #splits: number;
  readonly #dimensions: readonly number[];
  #chunk = -1;
  #entities: number[] = [];
  #starts: number[] = [];
  #columns: number[][] = [];

  constructor({ splits, dimensions }: { splits: number; dimensions: readonly number[] }) {
    this.#splits = splits;
    this.#dimensions = dimensions;
  }

  /** `next` gives the sums of the dimensions, one after the other. */
  add(entity: number, split: number, next: () => number): void {
    const chunk = Math.floor(entity / chunkSize);
    if (chunk !== this.#chunk) this.#begin(chunk);
    while (this.#starts.length <= split) this.#starts.push(this.#entities.length);
    this.#entities.push(entity % chunkSize);
    for (const column of this.#columns) column.push(next());
  }

  end(): { chunk: number; block: Block }[] {
    this.#begin(-1);
    return this.blocks;
  }

  #begin(chunk: number): void {
    const rows = this.#entities.length;
    if (rows > 0) {
      const splits = [...this.#starts];
      while (splits.length <= this.#splits) splits.push(rows);
      const columns: Block['columns'][number][] = [];
      const bounds: number[] = [];
      for (const [place, dimension] of this.#dimensions.entries()) {
        const values = Float64Array.from(this.#columns[place] as number[]);
        columns[dimension] = toColumn(values);
        bounds[dimension] = values.reduce((sum, value) => sum + Math.abs(value), 0);
      }
      const block = { rows, entities: Uint16Array.from(this.#entities), slots: undefined, splits };
      const bytes = rows * (2 + 8 * columns.length);
      this.blocks.push({ chunk: this.#chunk, block: { ...block, columns, bounds, bytes } });
    }
    this.#chunk = chunk;
    this.#entities = [];
    this.#starts = [];
    this.#columns = this.#dimensions.map(() => []);
  }
}
