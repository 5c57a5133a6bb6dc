import { PismakError } from '../../engine/ground/errors.ts';

/** The container of old Office documents: a file system in a file, made of chains of sectors. */
export interface CompoundFile {
  /** The content of a stream of the outermost folder, or undefined; capitals don't matter. */
  stream(name: string): Buffer | undefined;
}

const signature = Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]);
const endOfChain = 0xfffffffe;

export function isCompoundFile(bytes: Uint8Array): boolean {
  return bytes.length > 512 && signature.equals(bytes.subarray(0, 8));
}

export function openCompoundFile(bytes: Uint8Array): CompoundFile {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const shift = file.readUInt16LE(30);
  if (shift !== 9 && shift !== 12) throw broken();
  const size = 1 << shift;
  const sector = (number: number) => file.subarray((number + 1) * size, (number + 2) * size);

  /** Sectors of the allocation table: 109 in the header, the rest in a chain of their own. */
  const tables: number[] = [];
  for (let at = 76; at < 512; at += 4) tables.push(file.readUInt32LE(at));
  let more = file.readUInt32LE(68);
  // A chain may lead back to itself; there are no more tables than sectors.
  const sectors = file.length >> shift;
  while (tables.length <= sectors && more < endOfChain) {
    const extra = sector(more);
    if (extra.length < size) break;
    for (let at = 0; at < size - 4; at += 4) tables.push(extra.readUInt32LE(at));
    more = extra.readUInt32LE(size - 4);
  }
  const next = numbers(Buffer.concat(tables.filter((number) => number < 0xfffffffa).map(sector)));

  const chain = (first: number, of: Uint32Array, part: (number: number) => Buffer, most: number) => {
    const parts: Buffer[] = [];
    // A chain that leads back to itself ends at the size of the file.
    for (let number = first; number < of.length && parts.length <= most; number = of[number] as number)
      parts.push(part(number));
    return Buffer.concat(parts);
  };
  const directory = chain(file.readUInt32LE(48), next, sector, sectors);
  const { entries, root } = outermost(directory);
  const small = chain(root.start, next, sector, sectors);
  const nextSmall = numbers(chain(file.readUInt32LE(60), next, sector, sectors));
  const cutoff = file.readUInt32LE(56);
  return {
    stream(name) {
      const entry = entries.get(name.toLowerCase());
      if (entry === undefined) return undefined;
      const { start, length } = entry;
      const content =
        length < cutoff
          ? chain(
              start,
              nextSmall,
              (number) => small.subarray(number * 64, number * 64 + 64),
              small.length / 64,
            )
          : chain(start, next, sector, sectors);
      return content.subarray(0, length);
    },
  };
}

interface Stream {
  start: number;
  length: number;
}

/** The entries beside each other in the root: documents that are embedded have streams of the same names further in. */
function outermost(directory: Buffer): { entries: Map<string, Stream>; root: Stream } {
  const entries = new Map<string, Stream>();
  const seen = new Set<number>();
  const left = [directory.length >= 128 ? directory.readUInt32LE(76) : endOfChain];
  for (let number = left.pop(); number !== undefined; number = left.pop()) {
    const at = 128 * number;
    if (at + 128 > directory.length || seen.has(number)) continue;
    seen.add(number);
    left.push(directory.readUInt32LE(at + 68), directory.readUInt32LE(at + 72));
    const nameLength = Math.min(64, directory.readUInt16LE(at + 64));
    if (nameLength >= 2)
      entries.set(
        directory.toString('utf16le', at, at + nameLength - 2).toLowerCase(),
        streamAt(directory, at),
      );
  }
  return {
    entries,
    root: directory.length >= 128 ? streamAt(directory, 0) : { start: endOfChain, length: 0 },
  };
}

function streamAt(directory: Buffer, at: number): Stream {
  return { start: directory.readUInt32LE(at + 116), length: directory.readUInt32LE(at + 120) };
}

function numbers(bytes: Buffer): Uint32Array {
  return Uint32Array.from({ length: bytes.length >> 2 }, (_, index) => bytes.readUInt32LE(4 * index));
}

function broken(): PismakError {
  return new PismakError('invalid-input', 'the document is broken: its container can not be read');
}
