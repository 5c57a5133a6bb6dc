import { boxAround } from '../image/box.ts';
import type { Box } from '../page/page.ts';

/** Pieces of lines that are read together, in one column or across all columns. */
export type Zone = Box[];

interface Gutter {
  left: number;
  right: number;
}

/**
 * Divides pieces of lines into zones in reading order. Lines across the gutter (headings, footnotes) divide the page into
 * bands; in each band the left column precedes the right one. `letter` is the height of a small letter. A single zone
 * means no columns.
 */
export function findColumns(pieces: readonly Box[], letter: number, depth = 3): Zone[] {
  // First try a gutter that nothing crosses, as beside margin notes, which have few lines compared to the text.
  const gutter =
    depth > 0 ? (findGutter(pieces, letter, 0.02) ?? findGutter(pieces, letter, mostAcross)) : undefined;
  if (!gutter) return pieces.length > 0 ? [[...pieces]] : [];
  const middle = (gutter.left + gutter.right) / 2;
  const across = pieces.filter((piece) => piece.left < middle && end(piece) > middle);
  const zones: Zone[] = [];
  let rest = pieces.filter((piece) => !across.includes(piece));
  for (const band of bandsOf(across, letter)) {
    const { top } = boxAround(band);
    zones.push(
      ...sides(
        rest.filter((piece) => centre(piece) < top),
        middle,
        letter,
        depth,
      ),
    );
    rest = rest.filter((piece) => centre(piece) >= top);
    // Next to a line across the gutter, such as a page number.
    const bottom = top + boxAround(band).height;
    zones.push([...band, ...rest.filter((piece) => centre(piece) < bottom)]);
    rest = rest.filter((piece) => centre(piece) >= bottom);
  }
  zones.push(...sides(rest, middle, letter, depth));
  return zones;
}

function sides(pieces: readonly Box[], middle: number, letter: number, depth: number): Zone[] {
  return [
    ...findColumns(
      pieces.filter((piece) => piece.left < middle),
      letter,
      depth - 1,
    ),
    ...findColumns(
      pieces.filter((piece) => piece.left >= middle),
      letter,
      depth - 1,
    ),
  ];
}

/** The widest strip of paper that almost no line crosses, with enough lines on both sides. */
function findGutter(pieces: readonly Box[], letter: number, share: number): Gutter | undefined {
  const { left, width } = boxAround(pieces);
  const cover = new Float64Array(width + 1);
  for (const piece of pieces) {
    for (let x = piece.left - left; x < end(piece) - left; x++) cover[x] = (cover[x] ?? 0) + piece.height;
  }
  const limit = cover.reduce((most, one) => Math.max(most, one), 0) * share;
  let best: Gutter | undefined;
  let start = -1;
  for (let x = 0; x <= width; x++) {
    const empty = x < width && (cover[x] ?? 0) <= limit;
    if (empty && start < 0) start = x;
    if (empty || start < 0) continue;
    const gutter = { left: left + start, right: left + x };
    start = -1;
    const wider =
      gutter.right - gutter.left > Math.max(narrowest * letter, best ? best.right - best.left : 0);
    if (wider && hasColumns(pieces, gutter, letter)) best = gutter;
  }
  return best;
}

/** The share of all lines that may cross a gutter: headings. */
const mostAcross = 0.2;
/** In heights of a small letter: wider than gaps between words that line up by chance. */
const narrowest = 1.5;
const narrowestColumn = 9;
const fewestLines = 3;

function hasColumns(pieces: readonly Box[], gutter: Gutter, letter: number): boolean {
  return [
    pieces.filter((piece) => end(piece) <= gutter.left + 1),
    pieces.filter((piece) => piece.left >= gutter.right - 1),
  ].every((column) => {
    const lines = bandsOf(column, 0);
    return lines.length >= fewestLines && boxAround(column).width >= narrowestColumn * letter;
  });
}

/** Groups pieces that are in the same lines, or closer to each other than the gap. */
function bandsOf(pieces: readonly Box[], gap: number): Box[][] {
  const bands: Box[][] = [];
  let bottom = -Infinity;
  for (const piece of pieces.toSorted((one, other) => one.top - other.top)) {
    const band = bands.at(-1);
    if (band && piece.top < bottom + gap) band.push(piece);
    else bands.push([piece]);
    bottom = Math.max(bottom, piece.top + piece.height);
  }
  return bands;
}

function end(piece: Box): number {
  return piece.left + piece.width;
}

function centre(piece: Box): number {
  return piece.top + piece.height / 2;
}
