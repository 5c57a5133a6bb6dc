import { PismakError } from '../../engine/ground/errors.ts';
import type { Clock } from '../../engine/time/clock.ts';
import type { StatisticsDatabase, StatisticsQueries } from '../database/tables.ts';
import type { Schemas } from '../schema/schemas.ts';
import { ordinalsOf } from '../store/entity-numbers.ts';
import type { Limits } from '../store/limits.ts';
import type { StatisticsStore } from '../store/store.ts';

export interface EntityInput {
  entity: string | number;
  name?: string | undefined;
  status?: string | undefined;
  parent?: string | number | undefined;
  budget?: number | null | undefined;
  created?: number | undefined;
}

/** Creates entities or changes their attributes, all or none. With `create` false, each must exist. */
export async function saveEntities(
  { database, schemas, clock }: { database: StatisticsDatabase; schemas: Schemas; clock: Clock },
  options: {
    kind: string;
    user: string;
    entities: readonly EntityInput[];
    create: boolean;
    limits?: Limits | undefined;
  },
): Promise<{ created: number; updated: number }> {
  const { user, entities, create, limits } = options;
  const kind = schemas.get(options.kind);
  return database.transaction(async (transaction) => {
    const cube = await cubeOf(transaction, kind.name, user, create);
    const keys = [...new Set(entities.map(({ entity }) => String(entity)))];
    if (!create) await checkExisting(transaction, cube.id, keys, kind.name);
    const before = cube.entities;
    const ordinals = await ordinalsOf(transaction, cube, keys, clock.now(), { limits });
    const ordinalOf = new Map(keys.map((key, index) => [key, ordinals[index] as number]));
    for (const { entity, name, status, parent, budget, created } of entities) {
      const changes = {
        ...(name !== undefined && { name }),
        ...(status !== undefined && { status }),
        ...(parent !== undefined && { parent: String(parent) }),
        ...(budget !== undefined && { budget }),
        ...(created !== undefined && { createdAt: created }),
      };
      if (Object.keys(changes).length === 0) continue;
      await transaction
        .updateTable('statistics_entity')
        .set(changes)
        .where('cube', '=', cube.id)
        .where('ordinal', '=', ordinalOf.get(String(entity)) ?? -1)
        .execute();
    }
    await transaction
      .updateTable('statistics_cube')
      .set((column) => ({
        entityVersion: column('entityVersion', '+', 1),
        version: column('version', '+', 1),
      }))
      .where('id', '=', cube.id)
      .execute();
    const made = ordinals.filter((ordinal) => ordinal >= before).length;
    return { created: made, updated: keys.length - made };
  });
}

export async function listEntities(
  { database, schemas, store }: { database: StatisticsDatabase; schemas: Schemas; store: StatisticsStore },
  options: { kind: string; user: string; offset: number; limit: number },
) {
  const cube = await store.head(schemas.get(options.kind).name, options.user);
  if (!cube) return [];
  const rows = await database.query
    .selectFrom('statistics_entity')
    .select(['key', 'name', 'status', 'parent', 'budget', 'createdAt'])
    .where('cube', '=', cube.id)
    .where('ordinal', '>=', options.offset)
    .orderBy('ordinal')
    .limit(options.limit)
    .execute();
  return rows.map(({ key, createdAt, ...row }) => ({ entity: key, ...row, created: createdAt }));
}

/** The cube, locked for this transaction. */
async function cubeOf(transaction: StatisticsQueries, kind: string, user: string, create: boolean) {
  if (create)
    await transaction
      .insertInto('statistics_cube')
      .values({ kind, user, seq: 0, version: 0, pruned: 0, entities: 0, entityVersion: 0 } as never)
      .onConflict((conflict) => conflict.columns(['kind', 'user']).doNothing())
      .execute();
  const cube = await transaction
    .updateTable('statistics_cube')
    .set((column) => ({ version: column('version', '+', 1) }))
    .where('kind', '=', kind)
    .where('user', '=', user)
    .returningAll()
    .executeTakeFirst();
  if (cube) return cube;
  throw new PismakError('not-found', `entity: ${user} has no ${kind}`);
}

async function checkExisting(
  transaction: StatisticsQueries,
  cube: number,
  keys: readonly string[],
  kind: string,
): Promise<void> {
  const rows = await transaction
    .selectFrom('statistics_entity')
    .select('key')
    .where('cube', '=', cube)
    .where('key', 'in', keys)
    .execute();
  const known = new Set(rows.map(({ key }) => key));
  const missing = keys.find((key) => !known.has(key));
  if (missing !== undefined) throw new PismakError('not-found', `entity: there is no ${kind} ${missing}`);
}
