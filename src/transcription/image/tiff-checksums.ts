import { constants, inflateSync } from 'node:zlib';
import { FileBytes } from './file-bytes.ts';
import { tiffForm } from './tiff-chain.ts';

const tags = { compression: 259, strips: [273, 279], tiles: [324, 325] } as const;
const deflated = [8, 32_946];

/**
 * Whether a strip or tile of a deflated page (counted from 0) has a wrong checksum. The image library stops before the checksum,
 * once it has all pixels. Ignores all other faults, and structures it doesn't know.
 */
export function hasWrongChecksum(path: string, page: number, mostBytes: number): boolean {
  const file = new FileBytes(path);
  try {
    const pieces = deflatedPieces(file, page);
    return pieces.some(({ at, length }) => length <= mostBytes && isWrong(file.read(at, length), mostBytes));
  } finally {
    file.close();
  }
}

function isWrong(piece: Buffer | undefined, maxOutputLength: number): boolean {
  try {
    // Truncated data has no checksum to compare.
    if (piece) inflateSync(piece, { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength });
    return false;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'Z_DATA_ERROR';
  }
}

function deflatedPieces(file: FileBytes, page: number): { at: number; length: number }[] {
  const head = file.read(0, 16);
  if (!head) return [];
  const form = tiffForm(head);
  let directory = form.readPointer(head, form.first);
  for (let number = 0; ; number++) {
    const count = file.read(directory, form.count);
    if (!count) return [];
    const length = form.readCount(count) * form.entry;
    const entries = Buffer.from(file.read(directory + form.count, length) ?? []);
    if (number === page) return piecesOf(file, entries, form);
    const next = file.read(directory + form.count + length, form.pointer);
    directory = next ? form.readPointer(next) : 0;
    if (directory === 0) return [];
  }
}

function piecesOf(file: FileBytes, entries: Buffer, form: ReturnType<typeof tiffForm>) {
  const values = (tag: number): number[] => {
    for (let at = 0; at + form.entry <= entries.length; at += form.entry) {
      if (form.short(entries, at) !== tag) continue;
      const [size, read] =
        { 3: [2, form.short] as const, 4: [4, form.long] as const, 16: [8, form.huge] as const }[
          form.short(entries, at + 2)
        ] ?? [];
      if (size === undefined || read === undefined) return [];
      const count = form.readPointer(entries, at + 4);
      const field = at + 4 + form.pointer;
      const isInside = count * size <= form.pointer;
      const from = isInside ? field : form.readPointer(entries, field);
      const bytes = isInside ? entries.subarray(from, from + count * size) : file.read(from, count * size);
      const whole = Buffer.from(bytes ?? []);
      return Array.from({ length: Math.floor(whole.length / size) }, (_, index) => read(whole, index * size));
    }
    return [];
  };
  if (!deflated.includes(values(tags.compression)[0] ?? 0)) return [];
  const [places, lengths] = values(tags.strips[0]).length > 0 ? tags.strips : tags.tiles;
  const all = values(lengths);
  return values(places).map((at, index) => ({ at, length: all[index] ?? 0 }));
}
