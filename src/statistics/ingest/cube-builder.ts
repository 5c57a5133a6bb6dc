import type { Day } from '../calendar/days.ts';
import { type Block, chunkSize } from '../columns/block.ts';
import { SumTable } from '../columns/sum-table.ts';
import type { Kind } from '../schema/schemas.ts';
import type { PreparedCube } from '../store/store.ts';

/** Events of one kind in a batch so far. */
export interface KindBuilder {
  kind: Kind;
  /** By user as written: a number or a string. */
  cubes: Map<unknown, CubeBuilder>;
  /** By the number of the dimension. */
  mayBeNegative: readonly boolean[];
  /** The list of dimensions that `indexes` belongs to. */
  names: readonly string[];
  /** Undefined if the kind lacks one of them. */
  indexes: readonly number[] | undefined;
}

export interface CubeBuilder {
  kind: string;
  user: string;
  /** Index of each entity in this batch, by key as written. */
  keys: Map<unknown, number>;
  names: string[];
  days: Map<Day, DayBuilder>;
}

export interface DayBuilder {
  table: SumTable;
  splits: number;
  events: number;
  mayBeSealed: boolean;
}

export function indexesOf(kind: KindBuilder, names: readonly string[]): readonly number[] | undefined {
  const indexes = names.map((name) => kind.kind.dimensionIndex.get(name) ?? -1);
  kind.names = names;
  kind.indexes = indexes.includes(-1) ? undefined : indexes;
  return kind.indexes;
}

export function addKey(cube: CubeBuilder, given: unknown, key: string): number {
  const known = cube.keys.get(key) ?? cube.names.push(key) - 1;
  cube.keys.set(key, known);
  cube.keys.set(given, known);
  return known;
}

export function addDay(cube: CubeBuilder, day: Day, { schema }: Kind, mayBeSealed: boolean): DayBuilder {
  const builder = {
    table: new SumTable(schema.dimensions.length),
    splits: schema.split.values.length,
    events: 0,
    mayBeSealed,
  };
  cube.days.set(day, builder);
  return builder;
}

export function prepared({ kind, user, names, days }: CubeBuilder): PreparedCube {
  return {
    kind,
    user,
    keys: names,
    days: [...days].map(([day, { table, splits, events, mayBeSealed }]) => ({
      day,
      events,
      mayBeSealed,
      blocks: (ordinals) => blocksByChunk(table, splits, ordinals),
    })),
  };
}

/** Splits the table into blocks by chunk. `ordinals` maps entities of the table to stored ordinals. */
export function blocksByChunk(
  table: SumTable,
  splits: number,
  ordinals: readonly number[],
): { chunk: number; block: Block }[] {
  const chunks = new Set(ordinals.map((ordinal) => Math.floor(ordinal / chunkSize)));
  return [...chunks].flatMap((chunk) => {
    const entityOf = (entity: number) => {
      const ordinal = (ordinals[entity] as number) - chunk * chunkSize;
      return ordinal >= 0 && ordinal < chunkSize ? ordinal : undefined;
    };
    const block = table.toBlock({ splits, slots: true, entityOf });
    return block.rows > 0 ? [{ chunk, block }] : [];
  });
}
