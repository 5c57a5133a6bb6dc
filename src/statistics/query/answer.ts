import { PismakError } from '../../engine/ground/errors.ts';
import { type DayRange, formatDay, type Granularity, parseDay, unitsWithin } from '../calendar/days.ts';
import type { Statistics } from '../opened/statistics.ts';
import type { Kind } from '../schema/schemas.ts';
import { compileFilters, type Filter } from './filter.ts';
import { readGroupedSeries } from './grouped-series.ts';
import { readGroupedHours, readHours } from './hours.ts';
import type { Question } from './select-entities.ts';
import { readSeries, type SeriesPoint, type SplitSums } from './series.ts';
import { readTable, type SortBy, type TableSources } from './table.ts';

/** A question as users ask it, by names. */
export interface Asked {
  kind: string;
  user: string | number;
  from: string;
  to: string;
  filters: readonly Filter[];
  over: 'interval' | 'all';
  split?: string | undefined;
  dimensions: readonly string[];
  groupBy?: string | undefined;
}

export interface AskedSeries extends Asked {
  granularity: Granularity;
  includeTotal: boolean;
  limit: number;
}

export interface AskedTable extends Asked {
  sort: string;
  offset: number;
  limit: number;
  segment?: 'split' | undefined;
}

type Sums = Record<string, number>;

export interface NamedPoint {
  id: string;
  start: string;
  end: string;
  sums: Sums;
  /** The same by split. */
  splits: Record<string, Sums>;
}

export interface SeriesAnswer {
  points: NamedPoint[];
  groups?: { entity: string; name: string; points: NamedPoint[] }[] | undefined;
  total?: Sums | undefined;
  /** How many entities the filter keeps. */
  entities: number;
}

const mostDays = 40_000;

/** Sums over time: the chart above the table. */
export async function answerSeries(
  statistics: Statistics,
  asked: AskedSeries,
  signal?: AbortSignal,
): Promise<SeriesAnswer> {
  const { reader, attributes, days } = statistics;
  const question = toQuestion(statistics, asked);
  const { kind, user, range } = question;
  const { granularity, limit, groupBy } = asked;
  checkPoints(range, granularity, limit);
  const name = (point: SeriesPoint) => namedPoint(question, point);
  if (groupBy !== undefined) {
    const sources = sourcesFor(statistics, user, signal);
    const grouping = { groupBy, mostPoints: limit };
    const grouped = await reader.view(
      kind.name,
      user,
      (view) =>
        granularity === 'hour'
          ? readGroupedHours(view, { ...question, ...grouping }, { ...sources, days })
          : readGroupedSeries(view, { ...question, granularity, ...grouping }, sources),
      signal,
    );
    const groups = grouped.groups.map(({ key, name: title, points }) => ({
      entity: key,
      name: title,
      points: points.map(name),
    }));
    const all = groups.flatMap(({ points }) => points);
    return { points: [], groups, entities: grouped.entities, ...totalOf(question, all, asked) };
  }
  const series = await reader.view(
    kind.name,
    user,
    (view) =>
      granularity === 'hour'
        ? readHours(view, question, { attributes, days })
        : readSeries(view, { ...question, granularity }, attributes),
    signal,
  );
  const points = series.points.map(name);
  return { points, entities: series.entities, ...totalOf(question, points, asked) };
}

/** The table: a page of rows, and the totals of all. */
export async function answerTable(statistics: Statistics, asked: AskedTable, signal?: AbortSignal) {
  const question = toQuestion(statistics, asked);
  const { kind, user } = question;
  const { offset, limit, groupBy, segment } = asked;
  const sort = toSort(kind, asked.sort);
  const sources = sourcesFor(statistics, user, signal);
  const table = await statistics.reader.view(
    kind.name,
    user,
    (view) => readTable(view, { ...question, sort, offset, limit, groupBy }, sources),
    signal,
  );
  const bySplit = (sums: SplitSums) => (segment === 'split' ? { splits: namedSplits(question, sums) } : {});
  const withDerived = (sums: SplitSums) => {
    const named = addedUp(question, sums);
    return { sums: named, derived: derivedOf(kind, named), ...bySplit(sums) };
  };
  return {
    count: table.count,
    totals: withDerived(table.totals),
    rows: table.rows.map(({ key, attributes, sums }) => ({
      entity: key,
      name: attributes?.name ?? key,
      status: attributes?.status ?? '',
      parent: attributes?.parent ?? '',
      budget: attributes?.budget ?? null,
      ...withDerived(sums),
    })),
  };
}

/** Checks the question against the schema. Each refusal names the field. */
export function toQuestion({ schemas }: Statistics, asked: Asked): Question {
  const kind = schemas.get(asked.kind);
  const { schema, splitIndex, dimensionIndex } = kind;
  const split = asked.split === undefined ? undefined : splitIndex.get(asked.split);
  if (asked.split !== undefined && split === undefined)
    throw invalid('split', `there is no ${asked.split}; use one of ${schema.split.values.join(', ')}`);
  const dimensions = asked.dimensions.map((name) => {
    const found = dimensionIndex.get(name);
    if (found !== undefined) return found;
    throw invalid('dimensions', `there is no ${name}; use some of ${[...dimensionIndex.keys()].join(', ')}`);
  });
  if (asked.groupBy !== undefined) checkGroup(kind, asked.groupBy);
  return {
    kind,
    user: String(asked.user),
    range: toRange(asked),
    over: asked.over,
    splits: split === undefined ? schema.split.values.map((_, index) => index) : [split],
    dimensions: dimensions.length > 0 ? dimensions : schema.dimensions.map((_, index) => index),
    filter: asked.filters.length > 0 ? compileFilters(asked.filters, kind) : undefined,
  };
}

function checkGroup({ name, ancestors }: Kind, groupBy: string): void {
  if (ancestors.includes(groupBy)) return;
  throw invalid(
    'groupBy',
    ancestors.length === 0
      ? `${name} has no parents`
      : `${groupBy} is no parent of ${name}; use ${ancestors.join(' or ')}`,
  );
}

export function toRange({ from, to }: { from: string; to: string }): DayRange {
  const range = { from: parseDay(from) ?? Number.NaN, to: parseDay(to) ?? Number.NaN };
  if (Number.isNaN(range.from)) throw invalid('from', 'it must be a date such as 2026-03-29');
  if (Number.isNaN(range.to)) throw invalid('to', 'it must be a date such as 2026-03-29');
  if (range.from > range.to) throw invalid('to', `${to} is before ${from}`);
  if (range.to - range.from > mostDays) throw invalid('from', 'the interval is longer than a hundred years');
  return range;
}

function checkPoints(range: DayRange, granularity: Granularity, limit: number): void {
  const days = range.to - range.from + 1;
  const points =
    granularity === 'none'
      ? 1
      : granularity === 'hour'
        ? 25 * days
        : granularity === 'day'
          ? days
          : unitsWithin(granularity, range).length;
  if (points > limit)
    throw invalid(
      'granularity',
      `${formatDay(range.from)} to ${formatDay(range.to)} has ${points} points; the limit is ${limit}: ask for larger units`,
    );
}

function toSort(kind: Kind, sort: string): { by: SortBy; descending: boolean } {
  const [field = '', direction = 'desc'] = sort.split(':');
  if (direction !== 'asc' && direction !== 'desc') throw invalid('sort', 'the direction is asc or desc');
  const descending = direction === 'desc';
  if (field === 'name' || field === 'key') return { by: { attribute: field }, descending };
  const dimension = kind.dimensionIndex.get(field);
  if (dimension !== undefined) return { by: { dimension }, descending };
  const parts = Object.hasOwn(kind.schema.derived, field) ? kind.schema.derived[field] : undefined;
  const known = [...kind.dimensionIndex.keys(), ...Object.keys(kind.schema.derived), 'name', 'key'];
  if (!parts) throw invalid('sort', `there is no ${field}; use one of ${known.join(', ')}`);
  const [above, below] = parts.map((name) => kind.dimensionIndex.get(name) ?? 0);
  return { by: { ratio: [above ?? 0, below ?? 0] }, descending };
}

function sourcesFor({ reader, attributes }: Statistics, user: string, signal?: AbortSignal): TableSources {
  return { attributes, viewOf: (kind) => reader.view(kind, user, async (view) => view, signal) };
}

function namedPoint(question: Question, { sums, ...point }: SeriesPoint): NamedPoint {
  return { ...point, sums: addedUp(question, sums), splits: namedSplits(question, sums) };
}

function namedSplits({ kind, splits, dimensions }: Question, sums: SplitSums): Record<string, Sums> {
  const names = kind.schema.split.values;
  return Object.fromEntries(
    splits.map((split) => [
      names[split] ?? '',
      Object.fromEntries(
        dimensions.map((dimension, place) => [
          kind.schema.dimensions[dimension]?.name ?? '',
          sums[split]?.[place] ?? 0,
        ]),
      ),
    ]),
  );
}

function addedUp({ kind, splits, dimensions }: Question, sums: SplitSums): Sums {
  return Object.fromEntries(
    dimensions.map((dimension, place) => [
      kind.schema.dimensions[dimension]?.name ?? '',
      exactly(splits.reduce((sum, split) => sum + (sums[split]?.[place] ?? 0), 0)),
    ]),
  );
}

function totalOf({ kind, dimensions }: Question, points: readonly NamedPoint[], asked: AskedSeries) {
  if (!asked.includeTotal) return {};
  const names = dimensions.map((dimension) => kind.schema.dimensions[dimension]?.name ?? '');
  const total = (name: string) => exactly(points.reduce((sum, point) => sum + (point.sums[name] ?? 0), 0));
  return { total: Object.fromEntries(names.map((name) => [name, total(name)])) };
}

/** Ratios for display; null if the divisor is zero. */
function derivedOf({ schema }: Kind, sums: Sums): Record<string, number | null> {
  return Object.fromEntries(
    Object.entries(schema.derived).flatMap(([name, [above, below]]) => {
      const [upper, lower] = [sums[above], sums[below]];
      if (upper === undefined || lower === undefined) return [];
      return [[name, lower === 0 ? null : upper / lower]];
    }),
  );
}

/** Beyond 2^53 a sum could have been rounded: better none than a wrong one. */
function exactly(sum: number): number {
  if (Number.isSafeInteger(sum)) return sum;
  throw new PismakError('too-large', 'a sum exceeds 2^53 and could not be exact; ask for a shorter interval');
}

function invalid(field: string, message: string): PismakError {
  return new PismakError('invalid-input', `${field}: ${message}`);
}
