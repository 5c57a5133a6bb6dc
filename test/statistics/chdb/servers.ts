import { join } from 'node:path';
import { freePort } from '../../../src/engine/testing/servers/free-port.ts';
import {
  type ClickHouseServers,
  nodeOf,
  startServers,
} from '../../../src/statistics/testing/clickhouse-server.ts';

/** Servers of a current ClickHouse, each with a shard of its own: without ZooKeeper there are no replicas. */
export function startChdb(nodes: number): Promise<ClickHouseServers> {
  return startServers(nodes, async (home) => {
    const port = await freePort();
    const program = join(import.meta.dirname, 'serve.ts');
    return nodeOf({ command: [process.execPath, program, String(port), home], home, port });
  });
}
