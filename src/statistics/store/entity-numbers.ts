import type { StatisticsQueries } from '../tables.ts';
import { checkEntities, type Limits } from './limits.ts';
import type { CubeHead } from './store.ts';

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
  for (let at = 0; at < asked.length; at += keysPerQuery) {
    const rows = await transaction
      .selectFrom('statistics_entity')
      .select(['key', 'ordinal'])
      .where('cube', '=', cube.id)
      .where('key', 'in', asked.slice(at, at + keysPerQuery))
      .execute();
    for (const { key, ordinal } of rows) known.set(key, ordinal);
    numbers?.add(cube.id, rows);
  }
  const created = keys.filter((key) => !known.has(key));
  if (created.length > 0) checkEntities(limits, cube.entities + created.length, cube.user);
  for (const [index, key] of created.entries()) known.set(key, cube.entities + index);
  for (let at = 0; at < created.length; at += keysPerQuery) {
    const rows = created.slice(at, at + keysPerQuery).map((key) => ({
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

/** Numbers that a process remembers, of all cubes together: about 20 MB. */
const mostNumbers = 200_000;

/**
 * Numbers of entities that were found in the database. They stay true: a number is never given again, and a cube that is erased never
 * comes back under its own. So a batch of known entities needs no query for them.
 */
export class EntityNumbers {
  readonly #cubes = new Map<number, Map<string, number>>();
  #count = 0;

  of(cube: number): ReadonlyMap<string, number> | undefined {
    const numbers = this.#cubes.get(cube);
    if (!numbers) return undefined;
    // The one used last goes last.
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
