import { PermanentFailure } from '../../engine/processor/processor.ts';
import type { FileBytes } from '../image/file-bytes.ts';

const markers = { start: 0xff4f, size: 0xff51, tilePart: 0xff90, end: 0xffd9 } as const;

/** Grey or three colours, black, and transparency. Each component of each pixel takes four bytes of memory. */
const mostComponents = 5;

export interface Codestream {
  width: number;
  height: number;
  components: number;
  /** Of the first component, as the file writes it. */
  depth: number;
  /** Not in a JP2 file, so it doesn't say what its components mean. */
  isBare: boolean;
}

/**
 * Checks that the codestream of a JPEG 2000 file is complete, and returns the size of the image. The library that decodes
 * it fills what is missing with grey and says nothing. Only the structure is checked: each part of each tile states its length.
 */
export function checkCodestream(file: FileBytes): Codestream {
  const start = findCodestream(file);
  const number = (at: number, length: 2 | 4) => {
    const bytes = file.read(start + at, length);
    if (!bytes) throw damaged();
    return bytes.readUIntBE(0, length);
  };
  const size = {
    isBare: start === 0,
    components: number(40, 2),
    depth: number(42, 2) >> 8,
    width: number(8, 4) - number(16, 4),
    height: number(12, 4) - number(20, 4),
  };
  const tile = { width: number(24, 4), height: number(28, 4), left: number(32, 4), top: number(36, 4) };
  const across = Math.ceil((number(8, 4) - tile.left) / tile.width);
  const down = Math.ceil((number(12, 4) - tile.top) / tile.height);
  const isPossible =
    size.width >= 1 && size.height >= 1 && across >= 1 && down >= 1 && across * down <= 65_535;
  const { components } = size;
  if (!isPossible || components < 1) throw damaged();
  if (components > mostComponents)
    throw new PermanentFailure(
      `the JPEG 2000 image has ${components} channels; the limit is ${mostComponents}`,
    );

  const tiles = new Set<number>();
  const complete = () => {
    if (tiles.size === across * down) return size;
    throw damaged(`${tiles.size} of ${across * down} tiles are there`);
  };
  for (let at = 2; ; ) {
    // The end marker itself may be missing, but nothing else may stand in its place.
    if (start + at === file.size) return complete();
    const marker = number(at, 2);
    if (marker === markers.end) return complete();
    if (marker === markers.tilePart) {
      tiles.add(number(at + 4, 2));
      const length = number(at + 6, 4);
      // Zero: it is the last one, up to the end marker.
      if (length === 0 && endsWithMarker(file)) return complete();
      if (length < 14 || start + at + length > file.size) throw damaged(`tile ${tiles.size} is cut short`);
      at += length;
    } else {
      // Everything before the tiles is a segment with its own length.
      if (marker < 0xff00 || tiles.size > 0) throw damaged('its end is missing');
      at += 2 + Math.max(2, number(at + 2, 2));
    }
  }
}

/** The bare codestream, or the one in a JP2 file, which is a chain of boxes. */
function findCodestream(file: FileBytes): number {
  const isStart = (at: number) => {
    const head = file.read(at, 4);
    return head?.readUInt16BE(0) === markers.start && head.readUInt16BE(2) === markers.size;
  };
  if (isStart(0)) return 0;
  for (let at = 0, boxes = 0; boxes < 1000; boxes++) {
    const head = file.read(at, 8);
    if (!head) break;
    const [length, kind] = [head.readUInt32BE(0), head.toString('latin1', 4, 8)];
    const long = length === 1 ? file.read(at + 8, 8) : undefined;
    const headLength = length === 1 ? 16 : 8;
    if (kind === 'jp2c' && isStart(at + headLength)) return at + headLength;
    const step = long ? Number(long.readBigUInt64BE(0)) : length;
    if (step < headLength) break;
    at += step;
  }
  throw damaged('it has no codestream');
}

function endsWithMarker(file: FileBytes): boolean {
  const length = Math.min(1024, file.size);
  return file.read(file.size - length, length)?.includes(Buffer.from([0xff, 0xd9])) ?? false;
}

export function damaged(detail = 'its header is wrong'): PermanentFailure {
  return new PermanentFailure(
    `the JPEG 2000 image is damaged or truncated (${detail}); scan or upload it again`,
  );
}
