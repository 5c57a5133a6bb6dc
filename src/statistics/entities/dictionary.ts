import { checkEntities, type Limits } from '../ingest/limits.ts';
import type { CubeHead } from '../store/store.ts';
import type { StatisticsQueries } from '../tables.ts';

const keysPerQuery = 1000;

/**
 * The numbers of these entities, in the order of the keys. Unknown ones are created. Runs in a transaction that has locked the
 * cube. Numbers are never given again.
 */
export async function ordinalsOf(
  transaction: StatisticsQueries,
  cube: CubeHead,
  keys: readonly string[],
  now: number,
  limits?: Limits,
): Promise<number[]> {
  const known = new Map<string, number>();
  for (let at = 0; at < keys.length; at += keysPerQuery) {
    const rows = await transaction
      .selectFrom('statistics_entity')
      .select(['key', 'ordinal'])
      .where('cube', '=', cube.id)
      .where('key', 'in', keys.slice(at, at + keysPerQuery))
      .execute();
    for (const { key, ordinal } of rows) known.set(key, ordinal);
  }
  const created = keys.filter((key) => !known.has(key));
  if (created.length > 0) checkEntities(limits, cube.entities + created.length, cube.user);
  for (const [index, key] of created.entries()) known.set(key, cube.entities + index);
  for (let at = 0; at < created.length; at += keysPerQuery) {
    const rows = created.slice(at, at + keysPerQuery).map((key) => ({
      ...{ cube: cube.id, ordinal: known.get(key) as number, key, name: key, status: 'active', parent: '' },
      ...{ budget: null, createdAt: now },
    }));
    await transaction.insertInto('statistics_entity').values(rows).execute();
  }
  if (created.length > 0)
    await transaction
      .updateTable('statistics_cube')
      .set((column) => ({
        entities: cube.entities + created.length,
        entityVersion: column('entityVersion', '+', 1),
      }))
      .where('id', '=', cube.id)
      .execute();
  return keys.map((key) => known.get(key) as number);
}
