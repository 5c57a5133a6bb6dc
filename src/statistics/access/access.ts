import type { Caller } from '../../engine/ground/caller.ts';
import { PismakError } from '../../engine/ground/errors.ts';
import type { StatisticsDatabase } from '../database/tables.ts';

/** Where it is stored who may read and write whose statistics. */
interface Grants {
  database: StatisticsDatabase;
}

/** Names under which access may have been given to a caller: the account, or this very key. */
function readersOf({ name, credential }: Caller): string[] {
  return credential?.startsWith('key:') ? [name, credential] : [name];
}

async function grantsOf({ database }: Grants, caller: Caller, user: string) {
  return database.query
    .selectFrom('statistics_access')
    .select('mayWrite')
    .where('reader', 'in', readersOf(caller))
    .where('user', '=', user)
    .execute();
}

/** Everybody sees the statistics of the user of the same name, administrators see all, others what was allowed. */
export async function checkMayRead(statistics: Grants, caller: Caller, user: string): Promise<void> {
  if (caller.role === 'admin' || caller.name === user) return;
  if ((await grantsOf(statistics, caller, user)).length > 0) return;
  throw new PismakError('not-found', `user: there are no statistics of ${user} that you may read`);
}

export async function checkMayWrite(statistics: Grants, caller: Caller, user: string): Promise<void> {
  if (caller.role === 'admin' || caller.name === user) return;
  if ((await grantsOf(statistics, caller, user)).some(({ mayWrite }) => mayWrite === 1)) return;
  throw new PismakError('not-found', `user: there are no statistics of ${user} that you may change`);
}

/** Which users' statistics this caller may write, for a batch with many of them. */
export async function writableUsers(
  { database }: Grants,
  caller: Caller,
): Promise<(user: string) => boolean> {
  if (caller.role === 'admin') return () => true;
  const rows = await database.query
    .selectFrom('statistics_access')
    .select('user')
    .where('reader', 'in', readersOf(caller))
    .where('mayWrite', '=', 1)
    .execute();
  const users = new Set([caller.name, ...rows.map(({ user }) => user)]);
  return (user) => users.has(user);
}
