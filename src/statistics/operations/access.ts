import { z } from 'zod';
import type { Engine } from '../../engine/composition/engine.ts';
import type { Caller } from '../../engine/ground/caller.ts';
import { defineOperation } from '../../engine/operation/operation.ts';
import { checkMayRead } from '../access/access.ts';
import type { Statistics } from '../opened/statistics.ts';
import { userKey } from './inputs.ts';

/** The statistics, if the caller may read those of this user. */
export async function readableBy(caller: Caller, engine: Engine, user: string | number): Promise<Statistics> {
  const { statisticsOf } = await import('../opened/statistics.ts');
  const statistics = await statisticsOf(engine);
  await checkMayRead(statistics, caller, String(user));
  return statistics;
}

const reader = z.string().min(1).max(200).describe('Account, or a single key as key:ID');

export const statisticsAllow = defineOperation({
  name: 'statistics.allow',
  summary: 'Let an account or a key read or write the statistics of a user',
  role: 'admin',
  owner: 'none',
  changes: true,
  input: z.strictObject({
    reader,
    user: userKey,
    access: z.enum(['none', 'read', 'write']).default('read').describe('Access to give; none revokes it'),
  }),
  output: z.strictObject({}),
  example: { reader: 'anna', user: 3, access: 'read' },
  async handler({ engine }, { reader: name, user, access }) {
    const { statisticsOf } = await import('../opened/statistics.ts');
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
    const { statisticsOf } = await import('../opened/statistics.ts');
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
