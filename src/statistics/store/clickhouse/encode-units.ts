import { chunkSize } from '../../columns/block.ts';
import { SumTable } from '../../columns/sum-table.ts';
import type { UnitMeta } from '../store.ts';
import type { FarUnit, Outline } from '../unit-rows.ts';
import type { RowReader, RowWriter } from './row-binary.ts';

/** Rows that one statement reads, unless a single unit has more. */
const rowsPerRead = 500_000;

/** Adds the rows of a unit to those for the shards that they belong to. */
export function addRows(
  shards: readonly RowWriter[],
  cube: number,
  { body, level, chunk, block }: FarUnit,
  dimensions: number,
): void {
  for (let split = 0; split + 1 < block.splits.length; split++)
    for (let row = block.splits[split] as number; row < (block.splits[split + 1] as number); row++) {
      const entity = chunk * chunkSize + (block.entities[row] as number);
      const writer = shards[shardOf(entity, shards.length)] as RowWriter;
      writer.need(8 + 1 + 8 + 1 + 1 + 4 + 8 * dimensions);
      writer.long(cube);
      writer.byte(level);
      writer.long(body);
      writer.byte(split);
      writer.byte(block.slots?.[row] ?? 0);
      writer.word(entity);
      for (let dimension = 0; dimension < dimensions; dimension++)
        writer.long(block.columns[dimension]?.[row] ?? 0);
      writer.rows++;
    }
}

/** Where new rows of an entity go. Reads ask all shards, so this may change with their number. */
function shardOf(entity: number, shards: number): number {
  return (Math.imul(entity, 0x9e3779b1) >>> 16) % shards;
}

export function emptyTable({ dimensions }: Outline): { table: SumTable; rows: number } {
  return { table: new SumTable(dimensions), rows: 0 };
}

export function readRows(
  reader: RowReader,
  byBody: ReadonlyMap<number, { table: SumTable; rows: number; outline: Outline }>,
  dimensions: number,
): void {
  while (reader.more) {
    const unit = byBody.get(reader.long());
    const split = reader.byte();
    const slot = reader.byte();
    const entity = reader.word() % chunkSize;
    const place = unit?.table.place(split, slot, entity) ?? 0;
    if (unit) unit.rows++;
    for (let dimension = 0; dimension < dimensions; dimension++) {
      const value = reader.long();
      if (value !== 0) unit?.table.add(place, dimension, value);
    }
  }
}

/** Units that are read together. */
export function* portions<One extends { unit: UnitMeta }>(wanted: readonly One[]): Generator<One[]> {
  let portion: One[] = [];
  let rows = 0;
  for (const one of wanted) {
    if (portion.length > 0 && rows + one.unit.rows > rowsPerRead) {
      yield portion;
      portion = [];
      rows = 0;
    }
    portion.push(one);
    rows += one.unit.rows;
  }
  if (portion.length > 0) yield portion;
}
