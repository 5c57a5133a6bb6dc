import { chunks } from '../../../engine/ground/chunks.ts';
import { chunkSize } from '../../columns/block.ts';
import type { FarSums, UnitMeta, UnitSums } from '../store.ts';
import { Replaced } from '../store.ts';
import type { Cluster, Shard } from './cluster.ts';
import { BlockCollector, RowReader } from './row-binary.ts';
import type { Ask } from './server.ts';

/** Numbers in one statement; it travels in the address, which may have 16 KB. An entity’s sum of so many units fits into an Int64. */
const unitsPerQuery = 400;

/**
 * Adds up where the rows are: each shard groups its own, and the parts are merged here. A unit knows how many rows it has, and every answer
 * counts those that it has seen. So a replica that lags behind, or rows that were dropped, can never give a wrong sum.
 */
export function farSums(
  { shards }: Cluster,
  name: string,
  prepare: (columns: number) => Promise<void>,
): FarSums {
  /** Runs a statement on all shards until the answers have all rows: at first anywhere, then on the replicas that have the most. */
  async function complete<T>(
    cube: number,
    units: readonly UnitMeta[],
    ask: Ask,
    decode: (answers: readonly Buffer[]) => { rows: number; value: T },
  ): Promise<T> {
    const wanted = units.reduce((sum, unit) => sum + unit.rows, 0);
    for (const isLast of [false, true]) {
      const { rows, value } = decode(await Promise.all(shards.map((shard) => shard.ask(ask))));
      if (rows === wanted) return value;
      if (!isLast) await Promise.all(shards.map((shard) => preferFullest(shard, name, cube, units)));
    }
    throw new Replaced(`ClickHouse has other rows than the ${wanted} that were asked for`);
  }

  return {
    async byEntity(cube, weighted, { splits, dimensions, signal }) {
      await prepare(columnsFor(dimensions));
      const blocks = [];
      for (const some of chunks(weighted, unitsPerQuery)) {
        const units = some.map(({ unit }) => unit);
        const factor = some.every(({ weight }) => weight === 1) ? '' : ` * ${weightOf(some)}`;
        const sums = dimensions.map((dimension) => `, sum(d${dimension}${factor})`).join('');
        const sql = `SELECT entity, split, toUInt32(count())${sums} FROM ${name} WHERE ${rowsOf(cube, units)}
          GROUP BY entity, split ORDER BY intDiv(entity, ${chunkSize}), split, entity FORMAT RowBinary`;
        const found = await complete(cube, units, { sql, signal }, (answers) => {
          let rows = 0;
          const collected = answers.flatMap((answer) => {
            const reader = new RowReader(answer);
            const collector = new BlockCollector({ splits, dimensions });
            const next = () => reader.long();
            while (reader.more) {
              const entity = reader.word();
              const split = reader.byte();
              rows += reader.word();
              collector.add(entity, split, next);
            }
            return collector.end();
          });
          return { rows, value: collected };
        });
        blocks.push(...found);
      }
      return blocks;
    },

    async byUnit(cube, wanted, { dimensions, masks, signal }) {
      await prepare(columnsFor(dimensions));
      const sums = new Map<UnitMeta, UnitSums>(wanted.map((unit) => [unit, []]));
      const kept = masks && keptEntities(masks);
      const condition = kept ? ' * (entity IN kept)' : '';
      for (const units of chunks(wanted, unitsPerQuery)) {
        const byBody = new Map(units.map((unit) => [unit.body, unit]));
        const values = dimensions.map((dimension) => `, sum(d${dimension}${condition})`).join('');
        const sql = `SELECT body, split, count()${values} FROM ${name} WHERE ${rowsOf(cube, units)} GROUP BY body, split FORMAT RowBinary`;
        const found = await complete(cube, units, { sql, signal, kept }, (answers) => {
          let rows = 0;
          const groups: { unit: UnitMeta | undefined; split: number; values: number[] }[] = [];
          for (const answer of answers) {
            const reader = new RowReader(answer);
            while (reader.more) {
              const unit = byBody.get(reader.long());
              const split = reader.byte();
              rows += reader.long();
              groups.push({ unit, split, values: dimensions.map(() => reader.long()) });
            }
          }
          return { rows, value: groups };
        });
        for (const { unit, split, values: added } of found) addGroup(unit && sums.get(unit), split, added);
      }
      return sums;
    },
  };
}

/** A dimension may be younger than every row: its column must be there all the same. */
function columnsFor(dimensions: readonly number[]): number {
  return Math.max(0, ...dimensions) + 1;
}

function addGroup(ofUnit: UnitSums | undefined, split: number, added: readonly number[]): void {
  if (!ofUnit) return;
  const before = ofUnit[split];
  ofUnit[split] = added.map((value, place) => (before?.[place] ?? 0) + value);
}

function rowsOf(cube: number, units: readonly UnitMeta[]): string {
  return `cube_id = ${cube} AND body IN (${units.map(({ body }) => body).join(',')})`;
}

function weightOf(weighted: readonly { unit: UnitMeta; weight: number }[]): string {
  const bodies = weighted.map(({ unit }) => unit.body);
  const weights = weighted.map(({ weight }) => `toInt64(${weight})`);
  return `transform(body, [${bodies.map((body) => `toUInt64(${body})`).join(',')}], [${weights.join(',')}], toInt64(0))`;
}

/** From now on the replica that has the most of these rows is asked first. */
export async function preferFullest(
  shard: Shard,
  name: string,
  cube: number,
  units: readonly UnitMeta[],
): Promise<void> {
  const sql = `SELECT count() FROM ${name} WHERE ${rowsOf(cube, units)}`;
  const counts = await Promise.all(
    shard.replicas.map(async (replica) => ({
      replica,
      rows: await replica.ask({ sql, timeoutMs: 5000 }).then(
        (answer) => Number(answer.toString()),
        () => -1,
      ),
    })),
  );
  const [fullest] = counts.sort((one, other) => other.rows - one.rows);
  if (fullest) shard.prefer(fullest.replica);
}

function keptEntities(masks: ReadonlyMap<number, Uint8Array>): Uint32Array {
  const kept: number[] = [];
  for (const [chunk, mask] of masks)
    for (let entity = 0; entity < mask.length; entity++)
      if (mask[entity] === 1) kept.push(chunk * chunkSize + entity);
  return Uint32Array.from(kept);
}
