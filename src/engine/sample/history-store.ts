import type { Database, Queries } from '../database/database.ts';
import { type HistoryPart, HistorySum, type HistoryValues } from './history-sum.ts';

export const minuteMs = 60_000;
export const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** A day by the minute, a month by the hour: at most 1,560 and 768 rows. */
const minutesKeptMs = 26 * hourMs;
const hoursKeptMs = 32 * dayMs;

export type Resolution = 'minute' | 'hour';
export interface HistoryRow extends HistoryPart {
  /** When the minute or hour began. */
  at: number;
}

/** Adds to what is stored of a minute: after a change of the leader, each has seen a part of it. */
export async function addMinute(database: Database, { at, ...part }: HistoryRow): Promise<void> {
  await database.transaction(async (transaction) => {
    const [stored] = await readRows(transaction, 'minute', { from: at, to: at + 1 });
    const sum = new HistorySum();
    if (stored) sum.add(stored);
    sum.add(part);
    await store(transaction, 'minute', { at, ...sum.part }, true);
  });
}

/** Makes the hours that are over of their minutes, and deletes what is too old. What was not done before is done later. */
export async function rollUpHistory(database: Database, now: number, retentionNow = now): Promise<void> {
  const { query } = database;
  const thisHour = now - (now % hourMs);
  const oldest = await query
    .selectFrom('history')
    .select('at')
    .where('resolution', '=', 'minute')
    .orderBy('at')
    .limit(1)
    .executeTakeFirst();
  if (oldest) {
    const from = oldest.at - (oldest.at % hourMs);
    const made = new Set((await readTimes(query, 'hour', { from, to: thisHour })).map(({ at }) => at));
    for (let at = from; at < thisHour; at += hourMs) {
      if (made.has(at)) continue;
      const minutes = await readRows(query, 'minute', { from: at, to: at + hourMs });
      if (minutes.length > 0) await store(query, 'hour', sumOf(at, minutes), false);
    }
  }
  for (const [resolution, keptMs] of [['minute', minutesKeptMs] as const, ['hour', hoursKeptMs] as const])
    await query
      .deleteFrom('history')
      .where('resolution', '=', resolution)
      .where('at', '<', retentionNow - keptMs)
      .execute();
}

export function sumOf(at: number, parts: readonly HistoryPart[]): HistoryRow {
  const sum = new HistorySum();
  for (const part of parts) sum.add(part);
  return { at, ...sum.part };
}

type Range = { from: number; to: number };

/** From `from`, before `to`, in order. */
export async function readRows(
  queries: Queries,
  resolution: Resolution,
  range: Range,
): Promise<HistoryRow[]> {
  const rows = await rowsIn(queries, resolution, range)
    .select(['at', 'samples', 'valuesJson'])
    .orderBy('at')
    .execute();
  return rows.map(({ at, samples, valuesJson }) => ({
    at,
    samples,
    values: JSON.parse(valuesJson) as HistoryValues,
  }));
}

function readTimes(queries: Queries, resolution: Resolution, range: Range) {
  return rowsIn(queries, resolution, range).select('at').execute();
}

function rowsIn(queries: Queries, resolution: Resolution, { from, to }: Range) {
  return queries
    .selectFrom('history')
    .where('resolution', '=', resolution)
    .where('at', '>=', from)
    .where('at', '<', to);
}

async function store(
  queries: Queries,
  resolution: Resolution,
  { at, samples, values }: HistoryRow,
  replaces: boolean,
): Promise<void> {
  const row = { samples, valuesJson: JSON.stringify(values) };
  await queries
    .insertInto('history')
    .values({ resolution, at, ...row })
    .onConflict((conflict) =>
      replaces ? conflict.columns(['resolution', 'at']).doUpdateSet(row) : conflict.doNothing(),
    )
    .execute();
}
