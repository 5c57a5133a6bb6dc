import type { Queries } from '../database/database.ts';

/**
 * The amount of work done for an owner in a month, by kind: `transcription.pages`, and whatever other houses count. It is
 * counted per owner, not per key: users create keys themselves, and a new key must not start from zero.
 */
export interface Used {
  owner: string;
  /** The house and what it counts. */
  kind: string;
  month: string;
}

/** `2026-01`, in UTC. */
export function monthOf(at: number): string {
  return new Date(at).toISOString().slice(0, 7);
}

export async function usageOf(queries: Queries, { owner, kind, month }: Used): Promise<number> {
  const row = await queries
    .selectFrom('usage')
    .select('count')
    .where((eb) => eb.and({ owner, kind, month }))
    .executeTakeFirst();
  return Number(row?.count ?? 0);
}

/** Call it in the transaction that checks the limit and does the work: then concurrent calls see each other's counts. */
export async function addUsage(transaction: Queries, used: Used & { count: number }): Promise<void> {
  const { owner, kind, month, count } = used;
  await transaction
    .insertInto('usage')
    .values({ owner, kind, month, count })
    .onConflict((conflict) =>
      conflict
        .columns(['owner', 'kind', 'month'])
        .doUpdateSet((eb) => ({ count: eb('usage.count', '+', count) })),
    )
    .execute();
}
