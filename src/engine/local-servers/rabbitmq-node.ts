import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ServerCommand } from './server-command.ts';

/** The script in sbin would change to another user. */
const programs = '/usr/lib/rabbitmq/bin';
export const rabbitmqctl = join(programs, 'rabbitmqctl');

export interface RabbitNodePlan {
  /** `rabbit1`: the node is rabbit1@localhost. */
  name: string;
  directory: string;
  ports: { amqp: number; management: number; distribution: number };
}

export interface RabbitClusterPlan {
  /** Lines of rabbitmq.conf that all nodes share. */
  settings: readonly string[];
  /** Port of Erlang's port mapper. */
  mapper: number;
  /** Contains the file `.erlang.cookie`. */
  home: string;
}

/** Settings shared by the nodes of a cluster, with a user that has all permissions. */
export function rabbitClusterSettings(
  names: readonly string[],
  { user, password }: { user: string; password: string },
): string[] {
  return [
    `default_user = ${user}`,
    `default_pass = ${password}`,
    'cluster_formation.peer_discovery_backend = classic_config',
    ...names.map((name, index) => `cluster_formation.classic_config.nodes.${index + 1} = ${name}@localhost`),
    'cluster_partition_handling = pause_minority',
    'consumer_timeout = 10800000',
    'disk_free_limit.absolute = 50MB',
    'log.file.level = warning',
  ];
}

/** Writes the files of a node and returns the command that runs it. */
export async function createRabbitNode(
  plan: RabbitNodePlan,
  cluster: RabbitClusterPlan,
): Promise<ServerCommand> {
  const { directory, ports, name } = plan;
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const path = (file: string) => join(directory, file);
  const settings = [
    `listeners.tcp.1 = 127.0.0.1:${ports.amqp}`,
    `management.tcp.port = ${ports.management}`,
    'management.tcp.ip = 127.0.0.1',
    ...cluster.settings,
  ];
  await writeFile(path('rabbitmq.conf'), settings.map((line) => `${line}\n`).join(''), { mode: 0o600 });
  await writeFile(path('plugins'), '[rabbitmq_management].\n');
  await writeFile(path('empty'), '');
  const env = {
    PATH: process.env.PATH,
    HOME: cluster.home,
    LC_ALL: 'C.UTF-8',
    RABBITMQ_NODENAME: `${name}@localhost`,
    RABBITMQ_DIST_PORT: String(ports.distribution),
    RABBITMQ_CONFIG_FILE: path('rabbitmq.conf'),
    RABBITMQ_MNESIA_BASE: path('data'),
    RABBITMQ_LOG_BASE: path('log'),
    RABBITMQ_PID_FILE: path('pid'),
    RABBITMQ_ENABLED_PLUGINS_FILE: path('plugins'),
    RABBITMQ_CONF_ENV_FILE: path('empty'),
    // Otherwise the script stays as the parent of the server.
    RUNNING_UNDER_SYSTEMD: 'true',
    ERL_EPMD_PORT: String(cluster.mapper),
    ERL_EPMD_ADDRESS: '127.0.0.1',
    RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS:
      '-kernel inet_dist_use_interface {127,0,0,1} +S 2:2 +sbwt none +sbwtdcpu none +sbwtdio none',
  };
  return { program: join(programs, 'rabbitmq-server'), args: [], env, cwd: '/' };
}

/** Runs Erlang's port mapper, through which nodes find each other, on its own port. */
export function portMapperCommand(port: number): ServerCommand {
  const args = ['-port', String(port), '-address', '127.0.0.1'];
  return { program: 'epmd', args, env: { PATH: process.env.PATH }, cwd: '/' };
}
