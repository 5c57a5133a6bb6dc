import { setTimeout } from 'node:timers/promises';
import { chunks } from '../../../engine/ground/chunks.ts';
import { PismakError } from '../../../engine/ground/errors.ts';
import type { Block } from '../../columns/block.ts';
import type { UnitMeta } from '../store.ts';
import type { FarUnit, Outline, UnitRows } from '../unit-rows.ts';
import { openCluster, type Shard, unavailable } from './cluster.ts';
import { createTables, table } from './create-tables.ts';
import { addRows, emptyTable, portions, readRows } from './encode-units.ts';
import { type ClickHousePlace, parseClickHouseUrl } from './parse-url.ts';
import { RowReader, RowWriter } from './row-binary.ts';
import { ClickHouseError } from './server.ts';
import { farSums, preferFullest } from './sums.ts';

const bodiesPerDrop = 5000;
/** UNSATISFIED_QUORUM_FOR_PREVIOUS_WRITE: another process is writing to the table with a quorum. */
const quorumIsBusy = 286;
const mostQuorumTries = 100;
const quorumTimeoutMs = 15_000;
/** A replica was down when tables were created. */
const prepareAgainMs = 5000;

/** The rows of large units in ClickHouse: spread over shards by entity, each shard replicated by ClickHouse itself. */
export function clickHouseRows(url: string): UnitRows {
  const place = parseClickHouseUrl(url);
  const cluster = openCluster(place);
  const name = `${place.database}.${table}`;
  let prepared: { columns: number; again: number; done: Promise<void> } | undefined;
  let writing: Promise<unknown> = Promise.resolve();

  /** The tables exist on every shard, new ones too, before they are used first. */
  async function prepare(needed = 1): Promise<void> {
    if (!prepared || needed > prepared.columns) {
      const columns = Math.max(needed, prepared?.columns ?? 0);
      const preparing = { columns, again: Number.POSITIVE_INFINITY, done: Promise.resolve() };
      preparing.done = createTables(cluster, place, columns).then((complete) => {
        if (!complete) preparing.again = performance.now() + prepareAgainMs;
      });
      preparing.done.catch(() => {
        if (prepared === preparing) prepared = undefined;
      });
      prepared = preparing;
    } else if (performance.now() > prepared.again) {
      // Nobody waits for a replica that was down and may be back.
      const { columns } = prepared;
      prepared.again = Number.POSITIVE_INFINITY;
      createTables(cluster, place, columns)
        .catch(() => false)
        .then((complete) => {
          if (!complete && prepared) prepared.again = performance.now() + prepareAgainMs;
        });
    }
    await prepared.done;
  }

  return {
    leastRows: place.leastRows,
    ...farSums(cluster, name, prepare),

    async write(cube, units) {
      const dimensions = Math.max(...units.map(({ block }) => block.columns.length));
      await prepare(dimensions);
      const wanted = cluster.shards.map(() => new RowWriter());
      for (const unit of units) addRows(wanted, cube, unit, dimensions);
      const values = Array.from({ length: dimensions }, (_, index) => `d${index}`);
      const listed = ['cube_id', 'level', 'body', 'split', 'slot', 'entity', ...values].join(', ');
      const sql = `INSERT INTO ${name} (${listed}) FORMAT RowBinary`;
      // ClickHouse takes one write with a quorum at a time.
      const turn = writing.then(() =>
        Promise.all(cluster.shards.map((shard, index) => insert(shard, sql, wanted[index], place))),
      );
      writing = turn.catch(() => {});
      await turn;
      await check(cube, units);
    },

    async read(cube, wanted) {
      await prepare();
      const found = await readOnce(cube, wanted);
      const missing = wanted.filter(({ unit }) => !found.has(unit));
      if (missing.length === 0) return found;
      // A replica may lag behind.
      const units = missing.map(({ unit }) => unit);
      await Promise.all(cluster.shards.map((shard) => preferFullest(shard, name, cube, units)));
      return new Map([...found, ...(await readOnce(cube, missing))]);
    },

    async cubes() {
      await prepare();
      const sql = `SELECT cube_id, count() FROM ${name} GROUP BY cube_id FORMAT RowBinary`;
      const found = new Map<number, number>();
      for (const answer of await cluster.everywhere({ sql })) {
        const reader = new RowReader(answer);
        while (reader.more) {
          const cube = reader.long();
          found.set(cube, (found.get(cube) ?? 0) + reader.long());
        }
      }
      return found;
    },

    async bodies(cube) {
      await prepare();
      const sql = `SELECT DISTINCT body FROM ${name} WHERE cube_id = ${cube} FORMAT RowBinary`;
      const found = new Set<number>();
      for (const answer of await cluster.everywhere({ sql })) {
        const reader = new RowReader(answer);
        while (reader.more) found.add(reader.long());
      }
      return [...found];
    },

    async drop(cube, bodies) {
      await prepare();
      if (bodies === undefined) {
        await cluster.everywhere({ sql: `ALTER TABLE ${name} DELETE WHERE cube_id = ${cube}` });
        return;
      }
      for (const some of chunks(bodies, bodiesPerDrop)) {
        const sql = `ALTER TABLE ${name} DELETE WHERE cube_id = ${cube} AND body IN (${some.join(', ')})`;
        await cluster.everywhere({ sql });
      }
    },
  };

  /** Units whose rows are not all there are missing. */
  async function readOnce(
    cube: number,
    wanted: readonly { unit: UnitMeta; outline: Outline }[],
  ): Promise<Map<UnitMeta, Block>> {
    const found = new Map<UnitMeta, Block>();
    for (const part of portions(wanted)) {
      const dimensions = Math.max(...part.map(({ outline }) => outline.dimensions));
      const values = Array.from({ length: dimensions }, (_, index) => `, d${index}`).join('');
      const bodies = part.map(({ unit }) => unit.body).join(', ');
      const answers = await cluster.everywhere({
        sql: `SELECT body, split, slot, entity${values} FROM ${name} WHERE cube_id = ${cube} AND body IN (${bodies})
            FORMAT RowBinary`,
      });
      const byBody = new Map(part.map((one) => [one.unit.body, { ...one, ...emptyTable(one.outline) }]));
      for (const answer of answers) readRows(new RowReader(answer), byBody, dimensions);
      for (const { unit, outline, table: sums, rows } of byBody.values())
        if (rows === unit.rows)
          found.set(unit, sums.toBlock({ splits: outline.splits, slots: outline.slots }));
    }
    return found;
  }

  /** A write whose answer was lost may have been stored twice or not at all: such rows must never count. */
  async function check(cube: number, units: readonly FarUnit[]): Promise<void> {
    const bodies = units.map(({ body }) => body).join(', ');
    const sql = `SELECT count() FROM ${name} WHERE cube_id = ${cube} AND body IN (${bodies})`;
    const answers = await cluster.everywhere({ sql });
    const stored = answers.reduce((sum, answer) => sum + Number(answer.toString()), 0);
    const wanted = units.reduce((sum, { block }) => sum + block.rows, 0);
    if (stored === wanted) return;
    throw new PismakError('unavailable', `ClickHouse stored ${stored} of ${wanted} rows; try again`);
  }
}

async function insert(
  shard: Shard,
  sql: string,
  writer: RowWriter | undefined,
  { quorum }: ClickHousePlace,
): Promise<void> {
  if (!writer || writer.rows === 0) return;
  const settings = quorum > 1 ? { insert_quorum: quorum, insert_quorum_timeout: quorumTimeoutMs } : undefined;
  const ask = { sql, rows: writer.taken(), ...(settings && { settings }), timeoutMs: 4 * quorumTimeoutMs };
  for (let tries = 1; ; tries++)
    try {
      await shard.ask(ask);
      return;
    } catch (error) {
      const cause = error instanceof Error ? error.cause : undefined;
      const busy = cause instanceof ClickHouseError && cause.code === quorumIsBusy;
      if (!busy || tries >= mostQuorumTries) throw busy ? unavailable(shard.replicas, cause) : error;
      await setTimeout(50);
    }
}
