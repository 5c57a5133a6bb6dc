import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { eventually } from '../../engine/testing/eventually.ts';
import { freePort } from '../../engine/testing/servers/free-port.ts';

export interface ClickHouseNode {
  /** `127.0.0.1:port` for HTTP. */
  address: string;
  /** Like a power cut. */
  kill(): Promise<void>;
  /** After `kill`, on what it has stored. */
  start(): Promise<void>;
}

export interface ClickHouseServers {
  nodes: ClickHouseNode[];
  /** A database as `statistics.store` names it, by default a new one with a shard on each node. Every unit goes there, however small. */
  urlOf(shards?: readonly (readonly ClickHouseNode[])[], database?: string): string;
  close(): Promise<void>;
}

const password = 'secret+/';

/**
 * Servers on their own loopback ports; they end with this process. With `zookeeper` (`host:port`, ...) tables can be replicated.
 * `settings` is a file for `config.d`.
 */
export function startClickHouse(
  options: { nodes?: number; zookeeper?: readonly string[]; settings?: string } = {},
): Promise<ClickHouseServers> {
  const { nodes = 1, zookeeper = [], settings } = options;
  return startServers(nodes, async (home) => {
    if (settings !== undefined) await cp(settings, join(home, 'config.d', basename(settings)));
    return createNode(home, zookeeper);
  });
}

/** Starts so many nodes, each with a directory of its own, which goes with them. */
export async function startServers(
  count: number,
  create: (home: string) => Promise<ClickHouseNode>,
): Promise<ClickHouseServers> {
  const directory = await mkdtemp(join(tmpdir(), 'pismak-clickhouse-'));
  const nodes: ClickHouseNode[] = [];
  for (let index = 0; index < count; index++) {
    const home = join(directory, String(index));
    await mkdir(home);
    nodes.push(await create(home));
  }
  const close = async () => {
    await Promise.all(nodes.map((node) => node.kill()));
    await rm(directory, { recursive: true, force: true, maxRetries: 3 });
  };
  try {
    await Promise.all(nodes.map((node) => node.start()));
  } catch (error) {
    await close();
    throw error;
  }
  return {
    nodes,
    urlOf(shards = nodes.map((node) => [node]), database = `test_${randomBytes(6).toString('hex')}`) {
      const hosts = shards.map((replicas) => replicas.map(({ address }) => address).join(',')).join(';');
      return `clickhouse://default:${encodeURIComponent(password)}@${hosts}/${database}?rows=1`;
    },
    close,
  };
}

async function createNode(home: string, zookeeper: readonly string[]): Promise<ClickHouseNode> {
  const [port, replication, native] = [await freePort(), await freePort(), await freePort()];
  await mkdir(join(home, 'data'));
  const ensemble = zookeeper.map((server) => {
    const [host, clientPort] = server.split(':');
    return `<node><host>${host}</host><port>${clientPort}</port></node>`;
  });
  const file = join(home, 'config.xml');
  await writeFile(
    file,
    `<yandex>
      <logger><level>error</level><console>true</console></logger>
      <listen_host>127.0.0.1</listen_host><http_port>${port}</http_port><tcp_port>${native}</tcp_port>
      <interserver_http_host>127.0.0.1</interserver_http_host><interserver_http_port>${replication}</interserver_http_port>
      <path>${home}/data/</path><tmp_path>${home}/tmp/</tmp_path>
      <users_config>users.xml</users_config><default_profile>default</default_profile><default_database>default</default_database>
      <mark_cache_size>67108864</mark_cache_size>
      ${ensemble.length > 0 ? replicationBy(ensemble) : ''}
    </yandex>`,
  );
  await writeFile(
    join(home, 'users.xml'),
    `<yandex><profiles><default><max_memory_usage>2000000000</max_memory_usage></default></profiles>
      <users><default><password>${password}</password><networks><ip>127.0.0.1</ip></networks>
        <profile>default</profile><quota>default</quota></default></users>
      <quotas><default/></quotas></yandex>`,
  );
  return nodeOf({ command: ['clickhouse-server', `--config-file=${file}`], home, port });
}

function replicationBy(ensemble: readonly string[]): string {
  return `<zookeeper>${ensemble.join('')}<session_timeout_ms>3000</session_timeout_ms></zookeeper>
    <merge_tree><zookeeper_session_expiration_check_period>1</zookeeper_session_expiration_check_period></merge_tree>`;
}

/** `command` serves ClickHouse’s HTTP at `port`, with `home` as its working directory. */
export function nodeOf(options: { command: readonly string[]; home: string; port: number }): ClickHouseNode {
  const { command, home, port } = options;
  const address = `127.0.0.1:${port}`;
  let child: ChildProcess | undefined;
  return {
    address,
    async kill() {
      if (!child || child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
    async start() {
      // It must end with this process, however that ends.
      const started = spawn('setpriv', ['--pdeathsig', 'KILL', ...command], {
        cwd: home,
        stdio: ['ignore', 'ignore', 'pipe'] as const,
      });
      child = started;
      let said = '';
      started.stderr.setEncoding('utf8').on('data', (piece: string) => {
        said = (said + piece).slice(-4000);
      });
      await eventually('ClickHouse serves', async () => {
        if (started.exitCode !== null) throw new Error(`ClickHouse did not start: ${said}`);
        const answer = await fetch(`http://${address}/ping`).catch(() => undefined);
        return answer?.ok;
      });
    },
  };
}
