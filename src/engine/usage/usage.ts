import type { Queries } from '../database/database.ts';

/**
 * The amount of work done for an owner in a month, by kind: `transcription.pages`, and whatever other houses count. It is
 * counted per owner, not per key: users create keys themselves, and a new key must not start from zero.
 */
export interface Used {
  owner: string;
  /** The house and what it counts. */
  kind: string;
  /** The period that it is counted in: a month (`monthOf`) or a day (`dayOf`). */
  month: string;
}

/** `2026-01`, in UTC. */
export function monthOf(at: number): string {
  return new Date(at).toISOString().slice(0, 7);
}

/** `2026-01-31`, in UTC, for what is counted per day. */
export function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}

/** What is counted for the owner in the current month and day. */
export async function usageNow(
  queries: Queries,
  owner: string,
  now: number,
): Promise<{ kind: string; period: string; count: number }[]> {
  const rows = await queries
    .selectFrom('usage')
    .select(['kind', 'month', 'count'])
    .where('owner', '=', owner)
    .where('month', 'in', [monthOf(now), dayOf(now)])
    .orderBy('kind')
    .limit(100)
    .execute();
  return rows.map(({ kind, month, count }) => ({ kind, period: month, count: Number(count) }));
}

export async function usageOf(queries: Queries, { owner, kind, month }: Used): Promise<number> {
  const row = await queries
    .selectFrom('usage')
    .select('count')
    .where((eb) => eb.and({ owner, kind, month }))
    .executeTakeFirst();
  return Number(row?.count ?? 0);
}

/**
 * Counts, and returns the new count. Call it in the transaction that does the work, and throw if the count exceeds the limit:
 * concurrent calls then wait for each other, so that together they can't exceed it.
 */
export async function addUsage(transaction: Queries, used: Used & { count: number }): Promise<number> {
  const { owner, kind, month, count } = used;
  const row = await transaction
    .insertInto('usage')
    .values({ owner, kind, month, count })
    .onConflict((conflict) =>
      conflict
        .columns(['owner', 'kind', 'month'])
        .doUpdateSet((eb) => ({ count: eb('usage.count', '+', count) })),
    )
    .returning('count')
    .executeTakeFirstOrThrow();
  // The first of a day: nobody needs the days before.
  if (month.length === 'yyyy-mm-dd'.length && Number(row.count) === count)
    await transaction
      .deleteFrom('usage')
      .where((eb) => eb.and({ owner, kind }))
      .where('month', '<', month)
      .execute();
  return Number(row.count);
}
