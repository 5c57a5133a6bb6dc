import { boxAround } from '../image/box.ts';
import { type Component, findComponents, smear } from '../image/components.ts';
import { factorFor, type Grey, reduce } from '../image/grey.ts';
import { histogramOf, otsu } from '../image/histogram.ts';
import type { Box, Line, Paragraph, Region } from '../page/page.ts';
import { findColumns, type Zone } from './find-columns.ts';

/** More zones than this are a table, which is read in rows and not divided. */
const mostZones = 24;

/**
 * Finds text columns with their lines, pictures and rules, in reading order. Empty if the page has no clear columns, because
 * recognisers then find lines better.
 */
export function findRegions(image: Grey): Region[] {
  const factor = factorFor(image, 1000);
  const small = reduce(image, factor);
  const { width, height } = small;
  const threshold = otsu(histogramOf(small.data, 3));
  const data = new Uint8Array(small.data.length);
  for (let at = 0; at < data.length; at++) data[at] = (small.data[at] as number) < threshold ? 1 : 0;
  const components = findComponents({ data, width, height }).filter((one) => one.ink > 2);
  const letter = medianHeight(components);
  if (letter < 2 || components.length < 100) return [];
  const { rules, pictures } = sortOut(components, letter);
  for (const one of [...rules, ...pictures]) erase(data, width, one);
  const text = { data, width, height };
  smear(text, Math.round(letter * 1.3));
  const pieces = findComponents(text).filter(
    (one) => one.height >= letter * 0.6 && one.width >= letter * 0.6,
  );
  const zones = findColumns(pieces, letter);
  if (zones.length < 2 || zones.length > mostZones) return [];
  const enlarge = enlarger(factor, image);
  return [
    ...zones.map((zone) => textRegion(zone, letter, enlarge)),
    ...pictures.map((box): Region => ({ kind: 'image', box: enlarge(box, 0), paragraphs: [] })),
    ...rules.map((box): Region => ({ kind: 'separator', box: enlarge(box, 0), paragraphs: [] })),
  ];
}

function medianHeight(components: readonly Component[]): number {
  const heights = components.map((one) => one.height).sort((one, other) => one - other);
  return heights[Math.floor(heights.length / 2)] ?? 0;
}

function sortOut(
  components: readonly Component[],
  letter: number,
): { rules: Component[]; pictures: Component[] } {
  const isRule = ({ width, height }: Component) => {
    const long = Math.max(width, height);
    const thin = Math.min(width, height);
    return long > 8 * letter && thin < letter && long > 15 * thin;
  };
  const isPicture = ({ width, height }: Component) => width > 6 * letter && height > 6 * letter;
  const rules = components.filter(isRule);
  return { rules, pictures: components.filter((one) => !isRule(one) && isPicture(one)) };
}

function erase(data: Uint8Array, width: number, { left, top, width: across, height }: Box): void {
  for (let y = top; y < top + height; y++) data.fill(0, y * width + left, y * width + left + across);
}

type Enlarge = (box: Box, margin: number) => Box;

/** Converts back to pixels of the full image, with a margin in pixels of the reduced one. */
function enlarger(factor: number, image: { width: number; height: number }): Enlarge {
  return (box, margin) => {
    const left = Math.max(0, Math.floor((box.left - margin) * factor));
    const top = Math.max(0, Math.floor((box.top - margin) * factor));
    const right = Math.min(image.width, Math.ceil((box.left + box.width + margin) * factor));
    const bottom = Math.min(image.height, Math.ceil((box.top + box.height + margin) * factor));
    return { left, top, width: right - left, height: bottom - top };
  };
}

function textRegion(zone: Zone, letter: number, enlarge: Enlarge): Region {
  const paragraphs: Paragraph[] = [];
  let lines: Line[] = [];
  let bottom = -Infinity;
  const finish = () => {
    if (lines.length > 0) paragraphs.push({ box: boxAround(lines.map((line) => line.box)), lines });
    lines = [];
  };
  for (const pieces of linesOf(zone)) {
    const box = boxAround(pieces);
    if (box.top - bottom > letter * 2.5) finish();
    bottom = box.top + box.height;
    lines.push({ box: enlarge(box, 0), words: [] });
  }
  finish();
  // Leave room for accents and for descenders of the last line.
  return { kind: 'text', box: enlarge(boxAround(zone), letter * 0.6), paragraphs };
}

/** A piece belongs to the line before if its middle is within that line. */
function linesOf(zone: Zone): Box[][] {
  const lines: Box[][] = [];
  for (const piece of zone.toSorted(
    (one, other) => one.top + one.height / 2 - other.top - other.height / 2,
  )) {
    const line = lines.at(-1);
    const box = line && boxAround(line);
    if (line && box && piece.top + piece.height / 2 < box.top + box.height) line.push(piece);
    else lines.push([piece]);
  }
  return lines;
}
