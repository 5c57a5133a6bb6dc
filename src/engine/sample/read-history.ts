import type { Queries } from '../database/database.ts';
import { type Caller, mayTouch } from '../ground/caller.ts';
import { type HistoryRow, hourMs, minuteMs, type Resolution, readRows, sumOf } from './history-store.ts';
import type { HistoryValues } from './history-sum.ts';

export interface Series {
  name: string;
  kind: 'level' | 'count';
  /** One for each step: the mean of a level, the sum of a count; null: nobody looked. */
  values: (number | null)[];
  /** Of a level: the highest in each step. */
  highest?: (number | null)[];
}

export interface History {
  from: number;
  to: number;
  stepMs: number;
  series: Series[];
  /** Series that matched, but for which there was no room. */
  more: number;
}

type Reader = Pick<Caller, 'name' | 'role'>;

/** A page of rows: others get their turn in between. */
const pageMs: Readonly<Record<Resolution, number>> = { minute: 2 * hourMs, hour: 48 * hourMs };
export const mostValues = 100_000;

/** What a caller may see of some series, in steps of whole minutes or hours. A name that ends with `*` means all that begin so. */
export async function readHistory(
  queries: Queries,
  caller: Reader,
  asked: { names: readonly string[]; from: number; to: number; points: number; resolution: Resolution },
): Promise<History> {
  const unit = asked.resolution === 'minute' ? minuteMs : hourMs;
  const from = asked.from - (asked.from % unit);
  const stepMs = unit * Math.max(1, Math.ceil((asked.to - from) / unit / asked.points));
  const count = Math.max(1, Math.ceil((asked.to - from) / stepMs));
  const to = from + count * stepMs;
  const fits = matcher(asked.names);
  const found = new Map<string, Series>();
  const left = new Set<string>();
  const mostSeries = Math.floor(mostValues / count);
  /** Steps in which somebody looked. */
  const known = new Array<boolean>(count).fill(false);

  const seriesOf = (name: string, kind: Series['kind']): Series | undefined => {
    const series = found.get(name);
    if (series) return series;
    if (found.size >= mostSeries) {
      left.add(name);
      return undefined;
    }
    const nothing = () => new Array<number | null>(count).fill(null);
    const made: Series = { name, kind, values: nothing(), ...(kind === 'level' && { highest: nothing() }) };
    found.set(name, made);
    return made;
  };
  const put = (step: number, rows: readonly HistoryRow[]) => {
    const { values } = sumOf(
      0,
      rows.map((row) => ({ ...row, values: visible(row.values, caller, fits) })),
    );
    known[step] = true;
    for (const [name, level] of Object.entries(values.levels)) {
      const series = seriesOf(name, 'level');
      const [mean, highest] = typeof level === 'number' ? [level, level] : level;
      if (!series) continue;
      series.values[step] = mean;
      if (series.highest) series.highest[step] = highest;
    }
    for (const [name, sum] of Object.entries(values.counts)) {
      const series = seriesOf(name, 'count');
      if (series) series.values[step] = sum;
    }
  };

  let step = 0;
  let rows: HistoryRow[] = [];
  for await (const row of rowsFrom(queries, asked.resolution, { from, to })) {
    const its = Math.floor((row.at - from) / stepMs);
    if (its !== step && rows.length > 0) {
      put(step, rows);
      rows = [];
    }
    step = its;
    rows.push(row);
  }
  if (rows.length > 0) put(step, rows);
  // Where somebody looked and saw nothing, there was nothing.
  for (const series of found.values())
    for (const [index, isKnown] of known.entries()) {
      if (!isKnown) continue;
      series.values[index] ??= 0;
      if (series.highest) series.highest[index] ??= 0;
    }
  const series = [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  return { from, to, stepMs, series, more: left.size };
}

/** The names that a caller may see, of the last hours. */
export async function seriesNames(
  queries: Queries,
  caller: Reader,
  now: number,
): Promise<{ name: string; kind: Series['kind'] }[]> {
  const kinds = new Map<string, Series['kind']>();
  for await (const { values } of rowsFrom(queries, 'hour', { from: now - 31 * 24 * hourMs, to: now + 1 })) {
    const { levels, counts } = visible(values, caller, () => true);
    for (const name of Object.keys(levels)) kinds.set(name, 'level');
    for (const name of Object.keys(counts)) kinds.set(name, 'count');
  }
  return [...kinds].map(([name, kind]) => ({ name, kind })).sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Minutes as they are; hours, and of those that have not been made yet their minutes. */
async function* rowsFrom(
  queries: Queries,
  resolution: Resolution,
  { from, to }: { from: number; to: number },
): AsyncGenerator<HistoryRow> {
  let rest = from;
  for (let at = from; at < to; at += pageMs[resolution]) {
    const rows = await readRows(queries, resolution, { from: at, to: Math.min(to, at + pageMs[resolution]) });
    yield* rows;
    const last = rows.at(-1);
    if (last) rest = last.at + hourMs;
  }
  if (resolution === 'hour') yield* rowsFrom(queries, 'minute', { from: rest, to });
}

function matcher(names: readonly string[]): (name: string) => boolean {
  const exact = new Set(names);
  const prefixes = names.filter((name) => name.endsWith('*')).map((name) => name.slice(0, -1));
  return (name) => exact.has(name) || prefixes.some((prefix) => name.startsWith(prefix));
}

function visible(values: HistoryValues, caller: Reader, fits: (name: string) => boolean): HistoryValues {
  const isSeen = (name: string) => {
    const owner = values.owners[name];
    return fits(name) && (owner === undefined || mayTouch(caller, owner));
  };
  const part = <Value>(all: Record<string, Value>): Record<string, Value> =>
    Object.fromEntries(Object.entries(all).filter(([name]) => isSeen(name)));
  return { levels: part(values.levels), counts: part(values.counts), owners: {} };
}
