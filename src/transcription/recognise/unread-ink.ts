import { boxAround } from '../image/box.ts';
import { type Component, findComponents, smear } from '../image/components.ts';
import { factorFor, type Grey } from '../image/grey.ts';
import type { Box, Page } from '../page/page.ts';
import { findShades } from '../prepare/clean-shades.ts';
import { linesOf } from './keep-surer.ts';

/** Ink that looks like text where nothing was read. */
export interface UnreadInk {
  /** Its amount, in lines of the page's usual width. */
  lines: number;
  /** Its blocks, in pixels of the image. */
  boxes: Box[];
}

/** Minimum letters in a row; fewer may be anything. */
const fewestLetters = 6;
/** In heights of a line. */
const shortest = 4;
const mostBoxes = 50;

/**
 * Finds ink shaped like lines of letters outside the lines that were read. Those give the size of letters; if there are hardly any,
 * several sizes are tried.
 */
export function findUnread(image: Grey, page: Page): UnreadInk {
  const read = linesOf(page).filter(({ words }) => words.length > 0);
  const wide = median(read.filter(({ words }) => words.length > 2).map(({ box }) => box.width));
  const boxes = read.map(({ box }) => box);
  if (read.length >= fewestLines)
    return summary(piecesAt(image, boxes, median(boxes.map(({ height }) => height))), wide, image);
  const tried = linesOnPage.map((count) => piecesAt(image, boxes, Math.max(8, image.height / count)));
  const [most] = tried.toSorted((one, other) => other.letters - one.letters);
  return most ? summary(most, image.width * 0.7, image) : none;
}

const none: UnreadInk = { lines: 0, boxes: [] };
/** Minimum lines that determine the size of letters. */
const fewestLines = 3;
/** Numbers of lines that a full page may have. */
const linesOnPage = [120, 80, 55, 35, 15];

/** Pieces of lines, in a reduced image. */
interface Pieces {
  pieces: Box[];
  letters: number;
  /** Height of a line. */
  line: number;
  factor: number;
}

function piecesAt(image: Grey, read: readonly Box[], tall: number): Pieces {
  // Reduce lines to about 14 pixels: letters stay separate, and the rest is fast.
  const factor = Math.max(1, Math.floor(tall / 14), factorFor(image, 2500));
  const { small, threshold } = findShades(image, factor, { BORDERS: true });
  const [line, data] = [tall / factor, new Uint8Array(small.data.length)];
  for (let at = 0; at < data.length; at++) data[at] = (small.data[at] as number) < threshold ? 1 : 0;
  const bitmap = { data, width: small.width, height: small.height };
  const all = findComponents(bitmap);
  for (const box of read) erase(bitmap, reduced(grown(box, tall * 0.3), factor));
  const letters = findComponents(bitmap).filter((one) => isLetter(one, line));
  const rows = inRows(all, line);
  const found = piecesOf(letters, bitmap, line).filter(({ box }) => !isPicture(box, rows, line));
  const count = found.reduce((sum, piece) => sum + piece.letters, 0);
  return { pieces: found.map(({ box }) => box), letters: count, line, factor };
}

function summary({ pieces, line, factor }: Pieces, wide: number, image: Grey): UnreadInk {
  if (pieces.length === 0) return none;
  const length = pieces.reduce((sum, { width }) => sum + width, 0) * factor;
  const usual = wide > 0 ? wide : Math.max(...pieces.map(({ width }) => width)) * factor;
  const boxes = blocksOf(pieces, line)
    .slice(0, mostBoxes)
    .map((box) => enlarged(grown(box, line * 0.4), factor, image));
  return { lines: Math.max(1, Math.round(length / usual)), boxes };
}

/** Whether ink has the size of a letter, or of a few that touch. */
function isLetter({ width, height, ink }: Component, line: number): boolean {
  return (
    height >= line * 0.25 &&
    height <= line * 1.4 &&
    width >= line * 0.08 &&
    width <= line * 4 &&
    ink >= width * height * 0.12 &&
    // A rule is all ink, and much longer than high.
    !(width > height * 3 && ink > width * height * 0.8)
  );
}

/** Letters in a row, as pieces of lines. */
function piecesOf(
  letters: readonly Component[],
  { width, height }: Grey,
  line: number,
): { box: Box; letters: number }[] {
  const rows = { data: new Uint8Array(width * height), width, height };
  // Only the middle of each letter, because ascenders would join lines.
  for (const one of letters) {
    const middle = Math.floor(one.top + one.height * 0.4);
    const end = Math.ceil(one.top + one.height * 0.7);
    for (let y = middle; y < end; y++)
      rows.data.fill(1, y * width + one.left, y * width + one.left + one.width);
  }
  smear(rows, Math.round(line * 1.1));
  const near = inRows(letters, line);
  return findComponents(rows)
    .filter((piece) => piece.width >= shortest * line && piece.height <= line * 1.2)
    .map((piece) => ({ piece, inside: near(grown(piece, line)).filter((one) => isOn(one, piece)) }))
    .filter(({ inside }) => inside.length >= fewestLetters && areAlike(inside))
    .map(({ inside }) => ({ box: boxAround(inside), letters: inside.length }));
}

function isOn(one: Box, piece: Box): boolean {
  const [x, y] = [one.left + one.width / 2, one.top + one.height * 0.55];
  return (
    x >= piece.left &&
    x <= piece.left + piece.width &&
    y >= piece.top - 1 &&
    y <= piece.top + piece.height + 1
  );
}

/** Whether components look like letters of one line: two or three heights on one baseline, unlike grass and grain. */
function areAlike(letters: readonly Component[]): boolean {
  const usual = median(letters.map(({ height }) => height));
  const near = letters.filter(({ height }) => height >= usual * 0.6 && height <= usual * 1.8);
  const foot = median(letters.map(({ top, height }) => top + height));
  const standing = letters.filter(({ top, height }) => Math.abs(top + height - foot) <= usual * 0.5);
  return near.length >= letters.length * 0.7 && standing.length >= letters.length * 0.6;
}

/** Whether most ink in and around a piece belongs to larger components than letters. */
function isPicture(piece: Box, near: (box: Box) => Component[], line: number): boolean {
  const around = grown(piece, line);
  let large = 0;
  let letters = 0;
  for (const one of near(around)) {
    const across =
      Math.min(one.left + one.width, around.left + around.width) - Math.max(one.left, around.left);
    const down = Math.min(one.top + one.height, around.top + around.height) - Math.max(one.top, around.top);
    if (across <= 0 || down <= 0) continue;
    if (isLetter(one, line)) letters += one.ink;
    // Of a large component, count its share nearby: little for a frame, much for a photograph.
    else large += (one.ink * across * down) / (one.width * one.height);
  }
  return large > letters;
}

/** Finds components that may touch a box. Searches only nearby rows, because grain has a hundred thousand components. */
function inRows(all: readonly Component[], line: number): (box: Box) => Component[] {
  const tall = all.filter(({ height }) => height > 2 * line);
  const rows = Map.groupBy(
    all.filter(({ height }) => height <= 2 * line),
    ({ top }) => Math.floor(top / line),
  );
  return ({ top, height }) => {
    const found = [...tall];
    for (let row = Math.floor(top / line) - 2; row <= (top + height) / line; row++)
      for (const one of rows.get(row) ?? []) found.push(one);
    return found;
  };
}

/** Joins nearby pieces into blocks. */
function blocksOf(pieces: readonly Box[], line: number): Box[] {
  const blocks: Box[] = [];
  for (const piece of pieces.toSorted((one, other) => one.top - other.top)) {
    const near = blocks.findIndex((block) => touch(grown(block, line * 1.2), piece));
    const block = blocks[near];
    if (block) blocks[near] = boxAround([block, piece]);
    else blocks.push(piece);
  }
  return blocks;
}

function touch(one: Box, other: Box): boolean {
  return (
    one.left < other.left + other.width &&
    other.left < one.left + one.width &&
    one.top < other.top + other.height &&
    other.top < one.top + one.height
  );
}

function grown({ left, top, width, height }: Box, by: number): Box {
  return { left: left - by, top: top - by, width: width + 2 * by, height: height + 2 * by };
}

function reduced({ left, top, width, height }: Box, factor: number): Box {
  return { left: left / factor, top: top / factor, width: width / factor, height: height / factor };
}

function enlarged(box: Box, factor: number, image: { width: number; height: number }): Box {
  const left = Math.max(0, Math.floor(box.left * factor));
  const top = Math.max(0, Math.floor(box.top * factor));
  const right = Math.min(image.width, Math.ceil((box.left + box.width) * factor));
  const bottom = Math.min(image.height, Math.ceil((box.top + box.height) * factor));
  return { left, top, width: right - left, height: bottom - top };
}

function erase({ data, width, height }: Grey, box: Box): void {
  const [left, right] = [Math.max(0, Math.floor(box.left)), Math.min(width, Math.ceil(box.left + box.width))];
  const bottom = Math.min(height, Math.ceil(box.top + box.height));
  for (let y = Math.max(0, Math.floor(box.top)); y < bottom; y++)
    data.fill(0, y * width + left, y * width + right);
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;
}
