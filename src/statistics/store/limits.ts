import type { Caller } from '../../engine/ground/caller.ts';
import { PismakError } from '../../engine/ground/errors.ts';
import { addUsage, monthOf } from '../../engine/usage/usage.ts';
import type { StatisticsQueries } from '../database/tables.ts';

/** Limits for senders other than administrators; 0 = no limit. */
export interface Limits {
  /** Entities of one user and kind. */
  entities: number;
  /** Events that a user sends, about any entity. */
  eventsPerMonth: number;
}

export function limitsOf(limits: Limits, { role }: Pick<Caller, 'role'>): Limits | undefined {
  return role === 'admin' ? undefined : limits;
}

/** Counts events against the sender's limit, in the transaction that stores them. */
export async function countEvents(
  transaction: StatisticsQueries,
  { eventsPerMonth }: Limits,
  { owner, count, now }: { owner: string; count: number; now: number },
): Promise<void> {
  const used = { owner, kind: 'statistics.events', month: monthOf(now) };
  const sum = await addUsage(transaction, { ...used, count });
  if (eventsPerMonth === 0 || sum <= eventsPerMonth) return;
  throw new PismakError(
    'quota-exceeded',
    `with these ${count} events you would exceed the ${eventsPerMonth} of this month (setting statistics.eventsPerMonth); none was counted`,
  );
}

export function checkEntities(limits: Limits | undefined, entities: number, user: string): void {
  if (!limits || limits.entities === 0 || entities <= limits.entities) return;
  throw new PismakError(
    'quota-exceeded',
    `user ${user} would have ${entities} entities of one kind; the limit is ${limits.entities} (setting statistics.entities); nothing was stored`,
  );
}
