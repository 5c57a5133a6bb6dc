import { chunkSize } from '../columns/block.ts';
import { kernelsFor } from '../columns/kernels.ts';
import type { EntitySums } from '../columns/sum-blocks.ts';
import { tooLarge } from '../columns/sum-table.ts';
import type { CubeView } from '../cube/cube-reader.ts';
import type { AttributeCache, Attributes } from '../entities/attributes.ts';
import { firstRows } from './first-rows.ts';
import { findParents, type Parents } from './parents.ts';
import { type Question, scansOver, selectEntities, sumsOfEntities } from './select-entities.ts';
import type { SplitSums } from './series.ts';

export interface TableQuestion extends Question {
  sort: { by: SortBy; descending: boolean };
  offset: number;
  limit: number;
  /** The kind whose entities are the rows: one of the kind's ancestors. Undefined: the entities themselves. */
  groupBy?: string | undefined;
}

export type SortBy =
  | { dimension: number }
  /** The first divided by the second. */
  | { ratio: readonly [number, number] }
  | { attribute: 'name' | 'key' };

export interface TableRow {
  key: string;
  attributes: Attributes | undefined;
  sums: SplitSums;
}

export interface Table {
  rows: TableRow[];
  /** Rows on all pages. */
  count: number;
  /** The sums over all rows, not only those on this page. */
  totals: SplitSums;
}

/** Other kinds of this user, for the names of parents. */
export interface TableSources {
  attributes: AttributeCache;
  viewOf(kind: string): Promise<CubeView | undefined>;
}

/** The table of the entities that the filter keeps, or of their parents: one page of it, and the totals of all of it. */
export async function readTable(
  view: CubeView | undefined,
  question: TableQuestion,
  sources: TableSources,
): Promise<Table> {
  const none: SplitSums = [];
  for (const split of question.splits) none[split] = question.dimensions.map(() => 0);
  if (!view) return { rows: [], count: 0, totals: none };
  const { attributes } = sources;
  const { kind, dimensions, splits, sort } = question;
  const selection = await selectEntities(view, question, attributes);
  const needed = [...new Set([...dimensions, ...dimensionsOf(sort.by)])];
  const options = { splits: kind.schema.split.values.length, dimensions: needed };
  const sums = await sumsOfEntities(view, scansOver(view, question.range), options);
  const kept = keptEntities(view.head.entities, selection.masks);
  await view.turns.next();
  const parents = question.groupBy
    ? await findParents(view, { kind, groupBy: question.groupBy, masks: selection.masks }, sources)
    : undefined;
  const columns = new Columns(sums, kept, parents);

  const values = sortValues(columns, splits, sort.by);
  await view.turns.next();
  const names =
    'attribute' in sort.by ? await namesOf(view, kept, parents, attributes, sort.by.attribute) : undefined;
  const order = await firstRows(columns.rows, {
    offset: question.offset,
    limit: question.limit,
    descending: sort.descending,
    ...(names ? { texts: names } : { values }),
    turns: view.turns,
  });
  const ordinals = parents ? [] : order.map((row) => kept[row] as number);
  const few = await attributes.some(view.head.id, ordinals);
  return {
    count: columns.rows,
    totals: splitSums(question, (split, dimension) => columns.total(split, dimension)),
    rows: order.map((row) => {
      const ofRow = parents ? parents.rows[row] : undefined;
      const own = parents ? ofRow?.attributes : few.get(kept[row] as number);
      return {
        key: ofRow?.key ?? own?.key ?? '',
        attributes: own,
        sums: splitSums(question, (split, dimension) => columns.column(split, dimension)[row] ?? 0),
      };
    }),
  };
}

function splitSums(
  { splits, dimensions }: Question,
  sumOf: (split: number, dimension: number) => number,
): SplitSums {
  const sums: SplitSums = [];
  for (const split of splits) sums[split] = dimensions.map((dimension) => sumOf(split, dimension));
  return sums;
}

function dimensionsOf(by: SortBy): readonly number[] {
  return 'dimension' in by ? [by.dimension] : 'ratio' in by ? by.ratio : [];
}

/** The numbers of the entities that the filter keeps, in their order. */
function keptEntities(entities: number, masks: ReadonlyMap<number, Uint8Array> | undefined): Int32Array {
  const kept = new Int32Array(entities);
  let count = 0;
  for (let entity = 0; entity < entities; entity++) {
    if (masks && !masks.get(Math.floor(entity / chunkSize))?.[entity % chunkSize]) continue;
    kept[count++] = entity;
  }
  return kept.subarray(0, count);
}

const none = new Float64Array(0);

/** The sums as columns over the rows of the table: an entity each, or a parent each. */
class Columns {
  readonly rows: number;
  readonly #sums: ReadonlyMap<number, EntitySums>;
  readonly #kept: Int32Array;
  readonly #parents: Parents | undefined;
  readonly #made = new Map<string, Float64Array>();

  constructor(sums: ReadonlyMap<number, EntitySums>, kept: Int32Array, parents: Parents | undefined) {
    this.#sums = sums;
    this.#kept = kept;
    this.#parents = parents;
    this.rows = parents ? parents.rows.length : kept.length;
  }

  column(split: number, dimension: number): Float64Array {
    const key = `${split}/${dimension}`;
    const known = this.#made.get(key);
    if (known) return known;
    const column = new Float64Array(this.rows);
    const kept = this.#kept;
    const rowOf = this.#parents?.rowOf;
    let bound = 0;
    for (let at = 0; at < kept.length; ) {
      const chunk = Math.floor((kept[at] as number) / chunkSize);
      const first = chunk * chunkSize;
      const sums = this.#sums.get(chunk)?.sums[split]?.[dimension] ?? none;
      for (; at < kept.length; at++) {
        const entity = kept[at] as number;
        if (entity >= first + chunkSize) break;
        if (entity - first >= sums.length) continue;
        const value = sums[entity - first] as number;
        const row = rowOf ? (rowOf[entity] as number) : at;
        column[row] = (column[row] as number) + value;
        bound += Math.abs(value);
      }
    }
    // Each chunk was checked by itself, but not their total.
    if (bound > Number.MAX_SAFE_INTEGER) throw tooLarge();
    this.#made.set(key, column);
    return column;
  }

  total(split: number, dimension: number): number {
    const column = this.column(split, dimension);
    return kernelsFor(column).sumRange(column, 0, column.length);
  }
}

/** What rows are sorted by. A ratio with a zero divisor sorts lowest. */
function sortValues(columns: Columns, splits: readonly number[], by: SortBy): Float64Array {
  const added = (dimension: number) => {
    const sum = new Float64Array(columns.rows);
    for (const split of splits) {
      const column = columns.column(split, dimension);
      for (let row = 0; row < sum.length; row++) sum[row] = (sum[row] as number) + (column[row] as number);
    }
    return sum;
  };
  if ('dimension' in by) return added(by.dimension);
  if (!('ratio' in by)) return new Float64Array(columns.rows);
  const [above, below] = [added(by.ratio[0]), added(by.ratio[1])];
  return above.map((value, row) =>
    below[row] === 0 ? Number.NEGATIVE_INFINITY : value / (below[row] as number),
  );
}

async function namesOf(
  view: CubeView,
  kept: Int32Array,
  parents: Parents | undefined,
  attributes: AttributeCache,
  attribute: 'name' | 'key',
): Promise<string[]> {
  if (parents) return parents.rows.map((row) => row.attributes?.[attribute] ?? row.key);
  const all = await attributes.all(view.head, view.turns);
  return Array.from(kept, (entity) => all[entity]?.[attribute] ?? '');
}
