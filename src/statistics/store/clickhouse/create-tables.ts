import { type Cluster, type Shard, unavailable } from './cluster.ts';
import type { ClickHousePlace } from './parse-url.ts';
import type { ClickHouseServer } from './server.ts';

export const table = 'unit_rows';
/** More columns are added when a schema has more dimensions. */
const fewestColumns = 8;
/** For a replica that hangs. */
const timeoutMs = 10_000;

/**
 * Creates the table where it is missing, with columns for so many dimensions. False if a replica is down: it gets the table when this is
 * done again.
 */
export async function createTables(
  { shards }: Cluster,
  place: ClickHousePlace,
  dimensions: number,
): Promise<boolean> {
  const complete = await Promise.all(
    shards.map(async (shard) => {
      const path = shard.replicas.length > 1 ? await pathOf(shard, place.database) : undefined;
      const all = shard.replicas.map((replica) => createAt(replica, place.database, path));
      const created = await Promise.allSettled(all);
      const [failed] = created.filter((one) => one.status === 'rejected');
      if (created.every((one) => one.status === 'rejected'))
        throw unavailable(shard.replicas, failed?.reason);
      await addColumns(shard, place.database, dimensions);
      return failed === undefined;
    }),
  );
  return complete.every((one) => one);
}

async function createAt(server: ClickHouseServer, database: string, path: string | undefined): Promise<void> {
  await server.ask({ sql: `CREATE DATABASE IF NOT EXISTS ${database}`, timeoutMs });
  const engine = path ? `ReplicatedMergeTree('${path}', '${server.address}')` : 'MergeTree';
  // A killed replica finds parts that were dropped meanwhile, and by default refuses to start if they are many. It may drop them: every
  // answer counts its rows, so none that is missing goes unnoticed.
  const settings = path ? 'SETTINGS replicated_max_ratio_of_wrong_parts = 1' : '';
  const columns = Array.from({ length: fewestColumns }, (_, index) => `d${index} Int64`);
  await server.ask({
    sql: `CREATE TABLE IF NOT EXISTS ${database}.${table} (cube_id UInt64, level UInt8, body UInt64, split UInt8,
      slot UInt8, entity UInt32, ${columns.join(', ')})
      ENGINE = ${engine} PARTITION BY level ORDER BY (cube_id, body, split, slot, entity) ${settings}`,
    timeoutMs,
  });
}

/**
 * Replicas find each other in ZooKeeper by this. One that exists stays, however the URL is ordered later. Not below `/pismak`, where all
 * belongs to the user of Pismak’s coordination.
 */
async function pathOf({ replicas }: Shard, database: string): Promise<string> {
  const sql = `SELECT zookeeper_path FROM system.replicas WHERE database = '${database}' AND table = '${table}'`;
  for (const replica of replicas) {
    const path = await replica.ask({ sql, timeoutMs }).then(
      (answer) => answer.toString().trim(),
      () => '',
    );
    if (path !== '') return path;
  }
  return `/clickhouse/pismak/${database}/${replicas[0]?.address.replaceAll(/[^\w.]/g, '_')}/${table}`;
}

async function addColumns(shard: Shard, database: string, dimensions: number): Promise<void> {
  const sql = `SELECT name FROM system.columns WHERE database = '${database}' AND table = '${table}'`;
  const known = new Set((await shard.ask({ sql })).toString().split('\n'));
  for (let index = 0; index < dimensions; index++)
    if (!known.has(`d${index}`))
      await shard.ask({ sql: `ALTER TABLE ${database}.${table} ADD COLUMN d${index} Int64` });
}
