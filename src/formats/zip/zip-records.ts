/** An entry in the directory of a ZIP. Sizes and offsets above 4 GB go into ZIP64 fields. */
export interface ZipRecord {
  path: Buffer;
  modified: Date;
  /** Start of its local header. */
  offset: number;
  deflated: boolean;
  /** The sizes follow the content, because they were unknown when the local header was written. */
  streamed: boolean;
  crc: number;
  size: number;
  packed: number;
}

const many = 0xffffffff;
/** Sizes follow the content; names are in UTF-8. */
const streamedFlag = 0x08;
const unicodeFlag = 0x800;

export function localHeader(record: ZipRecord): Buffer {
  const large = isLarge(record) || record.streamed;
  const extra = large ? zip64([record.size, record.packed]) : Buffer.alloc(0);
  return Buffer.concat([
    fields([0x04034b50, 4], [large ? 45 : 20, 2]),
    common(record, large),
    fields([record.path.length, 2], [extra.length, 2]),
    record.path,
    extra,
  ]);
}

/** Follows the content of a streamed entry. */
export function sizesAfterwards(record: ZipRecord): Buffer {
  return fields([0x08074b50, 4], [record.crc, 4], [record.packed, 8], [record.size, 8]);
}

export function centralRecord(record: ZipRecord): Buffer {
  const large = isLarge(record) || record.streamed || record.offset >= many;
  const extra = large ? zip64([record.size, record.packed, record.offset]) : Buffer.alloc(0);
  return Buffer.concat([
    // "Made on Unix", so the external attributes below hold the mode: a file that everybody may read.
    fields([0x02014b50, 4], [0x0300 | 45, 2], [large ? 45 : 20, 2]),
    common(record, large),
    fields([record.path.length, 2], [extra.length, 2], [0, 2], [0, 2], [0, 2]),
    fields([0o100644 * 0x10000, 4], [large ? many : record.offset, 4]),
    record.path,
    extra,
  ]);
}

export function endRecords(directory: { count: number; start: number; length: number }): Buffer {
  const { count, start, length } = directory;
  const large = count >= 0xffff || start >= many || length >= many;
  const end = fields(
    ...([
      [0x06054b50, 4],
      [0, 2],
      [0, 2],
    ] as const),
    ...([
      [Math.min(count, 0xffff), 2],
      [Math.min(count, 0xffff), 2],
    ] as const),
    ...([
      [Math.min(length, many), 4],
      [Math.min(start, many), 4],
      [0, 2],
    ] as const),
  );
  if (!large) return end;
  const large64 = fields(
    ...([
      [0x06064b50, 4],
      [44, 8],
      [0x0300 | 45, 2],
      [45, 2],
      [0, 4],
      [0, 4],
    ] as const),
    ...([
      [count, 8],
      [count, 8],
      [length, 8],
      [start, 8],
    ] as const),
  );
  const locator = fields([0x07064b50, 4], [0, 4], [start + length, 8], [1, 4]);
  return Buffer.concat([large64, locator, end]);
}

/** The fields that local header and directory share: flags, method, time, checksum and sizes. */
function common(record: ZipRecord, large: boolean): Buffer {
  const { date, time } = dosTime(record.modified);
  return fields(
    [unicodeFlag | (record.streamed ? streamedFlag : 0), 2],
    [record.deflated ? 8 : 0, 2],
    [time, 2],
    [date, 2],
    [record.crc, 4],
    [large ? many : record.packed, 4],
    [large ? many : record.size, 4],
  );
}

function isLarge(record: ZipRecord): boolean {
  return record.size >= many || record.packed >= many;
}

function zip64(values: readonly number[]): Buffer {
  return fields([1, 2], [values.length * 8, 2], ...values.map((value) => [value, 8] as const));
}

function fields(...list: readonly (readonly [value: number, bytes: number])[]): Buffer {
  const buffer = Buffer.alloc(list.reduce((sum, [, bytes]) => sum + bytes, 0));
  let at = 0;
  for (const [value, bytes] of list) {
    if (bytes === 8) buffer.writeBigUInt64LE(BigInt(value), at);
    else buffer.writeUIntLE(value, at, bytes);
    at += bytes;
  }
  return buffer;
}

/** From 1980, in steps of two seconds. In UTC, so the same content gives the same bytes everywhere. */
function dosTime(at: Date): { date: number; time: number } {
  const year = Math.min(Math.max(at.getUTCFullYear(), 1980), 2107) - 1980;
  return {
    date: (year << 9) | ((at.getUTCMonth() + 1) << 5) | at.getUTCDate(),
    time: (at.getUTCHours() << 11) | (at.getUTCMinutes() << 5) | (at.getUTCSeconds() >> 1),
  };
}
