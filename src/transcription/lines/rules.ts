import { type Component, findComponents } from '../image/components.ts';
import type { Ink } from './ink.ts';

export interface Rules {
  /** Between columns. */
  upright: Component[];
  /** Between articles, above footnotes, under words. */
  level: Component[];
  /** 1 where an upright rule was. */
  barrier: Uint8Array;
}

/** In heights of a small letter. Strokes of letters are shorter, or thicker. */
const shortestUpright = 6;
const shortestLevel = 7;
const thickest = 0.6;

/** Finds printed rules and removes their ink, even where letters touch them. */
export function takeOutRules(ink: Ink): Rules {
  const upright = longRuns(ink, shortestUpright * ink.letter, 'down');
  const level = longRuns(ink, shortestLevel * ink.letter, 'across');
  const thin = Math.max(3, thickest * ink.letter);
  const found = {
    // A rule on a slightly skewed page is as wide as its slope.
    upright: findComponents(upright).filter(
      (one) => one.width <= thin + one.height * 0.02 && standsFree(ink, one, 'down'),
    ),
    level: findComponents(level).filter(
      (one) => one.height <= thin + one.width * 0.02 && standsFree(ink, one, 'across'),
    ),
  };
  const barrier = new Uint8Array(ink.data.length);
  for (const rule of found.upright) erase(ink, upright.data, rule, thin, barrier);
  for (const rule of found.level) erase(ink, level.data, rule);
  return { ...found, barrier };
}

/** Whether both sides are mostly paper. A run within the stroke of a large letter has ink beside it. */
function standsFree(
  { data, width, height }: Ink,
  { left, top, width: across, height: down }: Component,
  way: 'down' | 'across',
): boolean {
  const length = way === 'down' ? down : across;
  const isPaper = (x: number, y: number) =>
    x < 0 || y < 0 || x >= width || y >= height || data[y * width + x] !== 1;
  let free = 0;
  for (let place = 0; place < length; place++) {
    const isFree =
      way === 'down'
        ? isPaper(left - 2, top + place) && isPaper(left + across + 1, top + place)
        : isPaper(left + place, top - 2) && isPaper(left + place, top + down + 1);
    if (isFree) free++;
  }
  return free >= mostlyFree * length;
}

const mostlyFree = 0.5;

/** Keeps only ink in runs of at least this length. */
function longRuns({ data, width, height }: Ink, least: number, way: 'down' | 'across') {
  const kept = new Uint8Array(data.length);
  const [lines, length, step, next] = way === 'down' ? [width, height, width, 1] : [height, width, 1, width];
  for (let line = 0; line < lines; line++) {
    let start = -1;
    for (let place = 0; place <= length; place++) {
      const isInk = place < length && data[line * next + place * step] === 1;
      if (isInk && start < 0) start = place;
      if (isInk || start < 0) continue;
      if (place - start >= least)
        for (let one = start; one < place; one++) kept[line * next + one * step] = 1;
      start = -1;
    }
  }
  return { data: kept, width, height };
}

/** Removes the runs of a rule; with `thin`, also its rough edges: ink beside a run, as long as all of it is no wider. */
function erase(
  { data, width }: Ink,
  runs: Uint8Array,
  { left, top, width: across, height }: Component,
  thin = 0,
  barrier?: Uint8Array,
): void {
  for (let y = top; y < top + height; y++) {
    const row = y * width;
    for (let x = left; x < left + across; x++) {
      if (runs[row + x] !== 1) continue;
      if (barrier) barrier[row + x] = 1;
      let [start, end] = [x, x + 1];
      while (start > 0 && data[row + start - 1] === 1 && x - start < thin) start--;
      while (end < width && data[row + end] === 1 && end - x < thin) end++;
      if (end - start <= thin) data.fill(0, row + start, row + end);
      else data[row + x] = 0;
    }
  }
}
