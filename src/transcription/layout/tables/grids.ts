import type { PrintedRules, Rule } from './rules-in-image.ts';

/** A frame of cells, in pixels: the edges of columns and rows, outer ones included. */
export interface Grid {
  columns: number[];
  rows: number[];
  /** The printed rules, if there are any. */
  level?: readonly Rule[];
  upright?: readonly Rule[];
}

/** In line heights: rules that meet may miss each other by this much, and rules this close count as one. */
const tolerance = 0.7;
/** The share of the table that a rule must run through to divide it. */
const across = 0.75;
const down = 0.6;
/** The share that is enough for a rule that begins and ends at others; cells beside it span several rows or columns. */
const part = 0.3;

/** Rules that touch each other form a grid if they divide an area into columns and rows. */
export function findGrids({ level, upright }: PrintedRules, line: number): Grid[] {
  return connected(level, upright, tolerance * line).flatMap((rules) => {
    const ends = [...rules.level.flatMap(({ from, to }) => [from, to]), ...rules.upright.map(({ at }) => at)];
    const heights = [
      ...rules.upright.flatMap(({ from, to }) => [from, to]),
      ...rules.level.map(({ at }) => at),
    ];
    const [left, right] = [Math.min(...ends), Math.max(...ends)];
    const [top, bottom] = [Math.min(...heights), Math.max(...heights)];
    const rows = rules.level.filter(({ from, to }) => to - from >= across * (right - left));
    const columns = rules.upright.filter(({ from, to }) => to - from >= down * (bottom - top));
    // A rule under a heading and one between two columns of text are not a table.
    if (rows.length < 2 || columns.length === 0) return [];
    const slack = tolerance * line;
    const short = {
      rows: partly(
        rules.level,
        [left, ...rules.upright.map(({ at }) => at), right],
        part * (right - left),
        slack,
      ),
      columns: partly(
        rules.upright,
        [top, ...rules.level.map(({ at }) => at), bottom],
        part * (bottom - top),
        slack,
      ),
    };
    const grid = {
      columns: edges([left, ...[...columns, ...short.columns].map(({ at }) => at), right], line),
      rows: edges([top, ...[...rows, ...short.rows].map(({ at }) => at), bottom], line),
      ...rules,
    };
    return grid.columns.length >= 3 && grid.rows.length >= 2 ? [grid] : [];
  });
}

interface Part {
  level: Rule[];
  upright: Rule[];
}

function connected(level: readonly Rule[], upright: readonly Rule[], slack: number): Part[] {
  let parts: Part[] = level.map((rule) => ({ level: [rule], upright: [] }));
  for (const rule of upright) {
    const touched = parts.filter((part) => part.level.some((one) => meet(one, rule, slack)));
    if (touched.length === 0) continue;
    parts = parts.filter((part) => !touched.includes(part));
    parts.push({
      level: touched.flatMap((part) => part.level),
      upright: [...touched.flatMap((part) => part.upright), rule],
    });
  }
  return parts.filter((part) => part.upright.length > 0);
}

function meet(level: Rule, upright: Rule, slack: number): boolean {
  return (
    upright.at >= level.from - slack &&
    upright.at <= level.to + slack &&
    level.at >= upright.from - slack &&
    level.at <= upright.to + slack
  );
}

/** Rules that begin and end at others and, together with collinear ones, are long enough. */
function partly(rules: readonly Rule[], ends: readonly number[], least: number, slack: number): Rule[] {
  const isEnd = (place: number) => ends.some((end) => Math.abs(end - place) <= slack);
  const whole = rules.filter(({ from, to }) => isEnd(from) && isEnd(to));
  return whole.filter(({ at }) => {
    const beside = whole.filter((other) => Math.abs(other.at - at) <= slack);
    return beside.reduce((sum, { from, to }) => sum + to - from, 0) >= least;
  });
}

/** In order, with double rules as one. */
function edges(places: readonly number[], line: number): number[] {
  const kept: number[] = [];
  for (const place of places.toSorted((one, other) => one - other)) {
    const last = kept.at(-1);
    if (last === undefined || place - last > line) kept.push(place);
  }
  return kept;
}
