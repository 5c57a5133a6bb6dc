import type { StatisticsQueries } from '../database/tables.ts';
import type { CubeHead } from '../store/store.ts';
import type { Turns } from '../turns/turns.ts';

const columns = ['ordinal', 'key', 'name', 'status', 'parent', 'budget', 'createdAt'] as const;
const rowsPerQuery = 20_000;
const mostEntities = 300_000;

/** Everything about an entity except its sums. */
export interface Attributes {
  key: string;
  name: string;
  status: string;
  parent: string;
  budget: number | null;
  createdAt: number;
}

/** Caches the attributes of entities until they change. */
export class AttributeCache {
  readonly #queries: StatisticsQueries;
  readonly #known = new Map<number, { version: number; rows: Attributes[] }>();
  #entities = 0;

  constructor(queries: StatisticsQueries) {
    this.#queries = queries;
  }

  /** Attributes of all entities of a cube, by ordinal. */
  async all({ id, entityVersion }: CubeHead, turns?: Turns): Promise<readonly Attributes[]> {
    const known = this.#known.get(id);
    if (known?.version === entityVersion) return known.rows;
    const rows: Attributes[] = [];
    for (let from = 0; ; from += rowsPerQuery) {
      const found = await this.#queries
        .selectFrom('statistics_entity')
        .select(columns)
        .where('cube', '=', id)
        .where('ordinal', '>=', from)
        .where('ordinal', '<', from + rowsPerQuery)
        .execute();
      for (const { ordinal, ...attributes } of found) rows[ordinal] = attributes;
      if (found.length === 0) break;
      await turns?.next();
    }
    this.forget(id);
    this.#known.set(id, { version: entityVersion, rows });
    this.#entities += rows.length;
    for (const oldest of this.#known.keys()) {
      if (this.#entities <= mostEntities || oldest === id) break;
      this.forget(oldest);
    }
    return rows;
  }

  /** Attributes of a few entities. */
  async some(cube: number, ordinals: readonly number[]): Promise<Map<number, Attributes>> {
    if (ordinals.length === 0) return new Map();
    const rows = await this.#queries
      .selectFrom('statistics_entity')
      .select(columns)
      .where('cube', '=', cube)
      .where('ordinal', 'in', ordinals)
      .execute();
    return new Map(rows.map(({ ordinal, ...attributes }) => [ordinal, attributes]));
  }

  forget(id: number): void {
    const known = this.#known.get(id);
    if (!known) return;
    this.#known.delete(id);
    this.#entities -= known.rows.length;
  }
}
