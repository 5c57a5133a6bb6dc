import { z } from 'zod';
import type { Engine } from '../../engine/engine.ts';
import { PismakError } from '../../engine/errors.ts';
import { type Caller, defineOperation } from '../../engine/operation/operation.ts';
import type { Statistics } from '../statistics.ts';
import { userKey } from './inputs.ts';

/** Names under which access may have been given to a caller: the account, or this very key. */
function readersOf({ name, credential }: Caller): string[] {
  return credential?.startsWith('key:') ? [name, credential] : [name];
}

async function grantsOf({ database }: Statistics, caller: Caller, user: string) {
  return database.query
    .selectFrom('statistics_access')
    .select('mayWrite')
    .where('reader', 'in', readersOf(caller))
    .where('user', '=', user)
    .execute();
}

/** Everybody sees the statistics of the user of the same name, administrators see all, others what was allowed. */
export async function checkMayRead(statistics: Statistics, caller: Caller, user: string): Promise<void> {
  if (caller.role === 'admin' || caller.name === user) return;
  if ((await grantsOf(statistics, caller, user)).length > 0) return;
  throw new PismakError('not-found', `user: there are no statistics of ${user} that you may read`);
}

/** The statistics, if the caller may read those of this user. */
export async function readableBy(caller: Caller, engine: Engine, user: string | number): Promise<Statistics> {
  const { statisticsOf } = await import('../statistics.ts');
  const statistics = await statisticsOf(engine);
  await checkMayRead(statistics, caller, String(user));
  return statistics;
}

export async function checkMayWrite(statistics: Statistics, caller: Caller, user: string): Promise<void> {
  if (caller.role === 'admin' || caller.name === user) return;
  if ((await grantsOf(statistics, caller, user)).some(({ mayWrite }) => mayWrite === 1)) return;
  throw new PismakError('not-found', `user: there are no statistics of ${user} that you may change`);
}

/** Which users' statistics this caller may write, for a batch with many of them. */
export async function writableUsers(
  { database }: Pick<Statistics, 'database'>,
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

const reader = z.string().min(1).max(200).describe('Account, or a single key as key:ID');

export const statisticsAllow = defineOperation({
  name: 'statistics.allow',
  summary: 'Let an account or a key read, or also write, the statistics of a user',
  role: 'admin',
  owner: 'none',
  changes: true,
  input: z.strictObject({
    reader,
    user: userKey,
    access: z.enum(['none', 'read', 'write']).default('read').describe('What it may do; none takes it back'),
  }),
  output: z.strictObject({}),
  example: { reader: 'anna', user: 3, access: 'read' },
  async handler({ engine }, { reader: name, user, access }) {
    const { statisticsOf } = await import('../statistics.ts');
    const { database } = await statisticsOf(engine);
    const key = { reader: name, user: String(user) };
    await database.transaction(async (transaction) => {
      await transaction
        .deleteFrom('statistics_access')
        .where('reader', '=', key.reader)
        .where('user', '=', key.user)
        .execute();
      if (access === 'none') return;
      const row = { ...key, mayWrite: access === 'write' ? 1 : 0 };
      await transaction.insertInto('statistics_access').values(row).execute();
    });
    return {};
  },
});

export const statisticsAccess = defineOperation({
  name: 'statistics.access',
  summary: 'List which accounts and keys may read or write the statistics of which users',
  role: 'admin',
  owner: 'none',
  changes: false,
  input: z.strictObject({
    reader: reader.optional(),
    limit: z.int().min(1).max(1000).default(1000).describe('Maximum number of rows'),
  }),
  output: z.strictObject({
    access: z.array(
      z.strictObject({ reader: z.string(), user: z.string(), access: z.enum(['read', 'write']) }),
    ),
  }),
  example: { reader: 'anna' },
  async handler({ engine }, { reader: name, limit }) {
    const { statisticsOf } = await import('../statistics.ts');
    const { database } = await statisticsOf(engine);
    let query = database.query.selectFrom('statistics_access').selectAll();
    if (name !== undefined) query = query.where('reader', '=', name);
    const rows = await query.orderBy('reader').orderBy('user').limit(limit).execute();
    return {
      access: rows.map(
        ({ mayWrite, ...row }) => ({ ...row, access: mayWrite === 1 ? 'write' : 'read' }) as const,
      ),
    };
  },
});
