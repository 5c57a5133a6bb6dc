/** A column of whole numbers, in the narrowest type that holds them all. */
export type Column = Uint8Array | Uint16Array | Int32Array | Float64Array;

/** A user's entities are numbered from 0. A chunk has this many, which bounds the size of a block. */
export const chunkSize = 65_536;

/**
 * Sums of one chunk of entities in one unit of time, column by column. Rows are ordered by split, then slot, then entity;
 * each (split, slot, entity) occurs at most once.
 */
export interface Block {
  readonly rows: number;
  /** The entity's number within its chunk. */
  readonly entities: Uint16Array;
  /** Half hours since the day began; only in blocks of slots. */
  readonly slots: Uint8Array | undefined;
  /** First row of each split, and finally the number of rows. */
  readonly splits: readonly number[];
  /** By the number of the dimension; undefined if all its values are zero. */
  readonly columns: readonly (Column | undefined)[];
  /** For each dimension, the sum of the absolute values: an upper bound for every sum over these rows. */
  readonly bounds: readonly number[];
  readonly bytes: number;
}

const types = [Uint8Array, Uint16Array, Int32Array, Float64Array] as const;

/** The narrowest column for these values, which are whole numbers up to 2^53; undefined if all are zero. */
export function toColumn(values: Float64Array): Column | undefined {
  let least = 0;
  let most = 0;
  for (let row = 0; row < values.length; row++) {
    const value = values[row] as number;
    if (value < least) least = value;
    else if (value > most) most = value;
  }
  if (least === 0 && most === 0) return undefined;
  if (least === 0 && most < 2 ** 8) return Uint8Array.from(values);
  if (least === 0 && most < 2 ** 16) return Uint16Array.from(values);
  if (least >= -(2 ** 31) && most < 2 ** 31) return Int32Array.from(values);
  return values;
}

interface Header {
  v: 1;
  rows: number;
  splits: readonly number[];
  slots?: true;
  /** Dimension, type, bound. */
  columns: [number, number, number][];
}

/** The block as bytes: a header in JSON, then the columns, each at a multiple of 8. */
export function encodeBlock(block: Block): Uint8Array<ArrayBuffer> {
  const columns = block.columns.flatMap((column, dimension) =>
    column ? [{ dimension, column, type: types.findIndex((type) => column instanceof type) }] : [],
  );
  const header: Header = {
    v: 1,
    rows: block.rows,
    splits: block.splits,
    ...(block.slots && { slots: true }),
    columns: columns.map(({ dimension, type }) => [dimension, type, block.bounds[dimension] ?? 0]),
  };
  const text = Buffer.from(JSON.stringify(header));
  const parts: (Column | Uint16Array)[] = [
    block.entities,
    ...(block.slots ? [block.slots] : []),
    ...columns.map(({ column }) => column),
  ];
  const size = parts.reduce((sum, part) => sum + aligned(part.byteLength), aligned(4 + text.length));
  const bytes = new Uint8Array(size);
  new DataView(bytes.buffer).setUint32(0, text.length, true);
  bytes.set(text, 4);
  let at = aligned(4 + text.length);
  for (const part of parts) {
    bytes.set(new Uint8Array(part.buffer, part.byteOffset, part.byteLength), at);
    at += aligned(part.byteLength);
  }
  return bytes;
}

/** The columns are views of the bytes, so the bytes must not change afterwards. */
export function decodeBlock(stored: Uint8Array): Block {
  // A pooled buffer may start at any offset, but typed arrays need aligned ones.
  const bytes = stored.byteOffset % 8 === 0 ? stored : stored.slice();
  const { buffer, byteOffset } = bytes;
  const length = new DataView(buffer, byteOffset).getUint32(0, true);
  // Only we write these.
  const header = JSON.parse(Buffer.from(buffer, byteOffset + 4, length).toString()) as Header;
  const { rows } = header;
  let at = byteOffset + aligned(4 + length);
  const next = <T extends Column>(Type: new (buffer: ArrayBufferLike, at: number, rows: number) => T): T => {
    const column = new Type(buffer, at, rows);
    at += aligned(column.byteLength);
    return column;
  };
  const entities = next(Uint16Array);
  const slots = header.slots ? next(Uint8Array) : undefined;
  const columns: (Column | undefined)[] = [];
  const bounds: number[] = [];
  for (const [dimension, type, bound] of header.columns) {
    columns[dimension] = next<Column>(types[type] ?? Float64Array);
    bounds[dimension] = bound;
  }
  return { rows, entities, slots, splits: header.splits, columns, bounds, bytes: bytes.byteLength + 300 };
}

function aligned(size: number): number {
  return Math.ceil(size / 8) * 8;
}
