import { chunks } from '../../engine/ground/chunks.ts';
import type { StatisticsQueries } from '../database/tables.ts';
import { checkEntities, type Limits } from './limits.ts';
import type { CubeHead } from './store.ts';

const keysPerQuery = 1000;

/**
 * The ordinals of these entities, in the order of the keys; unknown entities are created. Runs in a transaction that has locked the
 * cube. An ordinal is never reused.
 */
export async function ordinalsOf(
  transaction: StatisticsQueries,
  cube: CubeHead,
  keys: readonly string[],
  now: number,
  { limits, numbers }: { limits?: Limits | undefined; numbers?: EntityNumbers } = {},
): Promise<number[]> {
  const remembered = numbers?.of(cube.id);
  const known = new Map<string, number>();
  const asked: string[] = [];
  for (const key of keys) {
    const ordinal = remembered?.get(key);
    if (ordinal === undefined) asked.push(key);
    else known.set(key, ordinal);
  }
  for (const some of chunks(asked, keysPerQuery)) {
    const rows = await transaction
      .selectFrom('statistics_entity')
      .select(['key', 'ordinal'])
      .where('cube', '=', cube.id)
      .where('key', 'in', some)
      .execute();
    for (const { key, ordinal } of rows) known.set(key, ordinal);
    numbers?.add(cube.id, rows);
  }
  const created = keys.filter((key) => !known.has(key));
  if (created.length > 0) checkEntities(limits, cube.entities + created.length, cube.user);
  for (const [index, key] of created.entries()) known.set(key, cube.entities + index);
  for (const some of chunks(created, keysPerQuery)) {
    const rows = some.map((key) => ({
      cube: cube.id,
      ordinal: known.get(key) as number,
      key,
      name: key,
      status: 'active',
      parent: '',
      budget: null,
      createdAt: now,
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

/** Maximum ordinals in memory, of all cubes together: about 20 MB. */
const mostNumbers = 200_000;

/**
 * Caches ordinals that were read from the database. They stay valid, because neither ordinals nor ids of cubes are ever reused. So a
 * batch of known entities needs no query.
 */
export class EntityNumbers {
  readonly #cubes = new Map<number, Map<string, number>>();
  #count = 0;

  of(cube: number): ReadonlyMap<string, number> | undefined {
    const numbers = this.#cubes.get(cube);
    if (!numbers) return undefined;
    // Most recently used last.
    this.#cubes.delete(cube);
    this.#cubes.set(cube, numbers);
    return numbers;
  }

  add(cube: number, rows: readonly { key: string; ordinal: number }[]): void {
    const numbers = this.#cubes.get(cube) ?? new Map<string, number>();
    this.#cubes.set(cube, numbers);
    const before = numbers.size;
    for (const { key, ordinal } of rows) numbers.set(key, ordinal);
    this.#count += numbers.size - before;
    for (const [oldest, { size }] of this.#cubes) {
      if (this.#count <= mostNumbers) return;
      this.#cubes.delete(oldest);
      this.#count -= size;
    }
  }
}
