import { connect } from 'node:net';
import { join } from 'node:path';
import { countRabbitNodes, rabbitServes } from '../../engine/local-servers/rabbitmq-management.ts';
import {
  createRabbitNode,
  portMapperCommand,
  rabbitClusterSettings,
} from '../../engine/local-servers/rabbitmq-node.ts';
import type { ServerCommand } from '../../engine/local-servers/server-command.ts';
import { createZookeeperServer, zookeeperMode } from '../../engine/local-servers/zookeeper-server.ts';
import { type StackPlan, stackUser } from './stack-plan.ts';
import { postgresNodes } from './stack-postgres.ts';

/** One server of the stack. */
export interface StackServer {
  name: string;
  /** The port for clients. */
  port: number;
  /** The signal for an orderly stop. */
  stopSignal: NodeJS.Signals;
  /** Writes the server's files, if any, and returns the command that runs it. */
  prepare(): Promise<ServerCommand>;
  /** Its role in the cluster; undefined while it does not serve. */
  role(): Promise<string | undefined>;
}

export interface StackServers {
  mapper: StackServer;
  rabbitmq: StackServer[];
  zookeeper: StackServer[];
  postgres: ReturnType<typeof postgresNodes>;
}

const ids = [1, 2, 3];
const user = stackUser;

export function stackServers(plan: StackPlan): StackServers {
  return {
    mapper: {
      name: 'epmd',
      port: plan.firstPort + 9,
      stopSignal: 'SIGKILL',
      prepare: async () => portMapperCommand(plan.firstPort + 9),
      role: async () => ((await listens(plan.firstPort + 9)) ? 'port mapper' : undefined),
    },
    rabbitmq: rabbitNodes(plan),
    zookeeper: zookeeperServers(plan),
    postgres: postgresNodes(plan),
  };
}

export function allServers({ mapper, rabbitmq, zookeeper, postgres }: StackServers): StackServer[] {
  return [...rabbitmq, ...zookeeper, ...postgres, mapper];
}

/** Whether the nodes of RabbitMQ have found each other. */
export async function isOneCluster({ firstPort, password }: StackPlan): Promise<boolean> {
  return (await countRabbitNodes({ port: firstPort + 3, user, password })) === ids.length;
}

function rabbitNodes({ directory, firstPort, password }: StackPlan): StackServer[] {
  const names = ids.map((id) => `rabbit${id}`);
  const cluster = {
    settings: [...rabbitClusterSettings(names, { user, password }), `default_vhost = ${user}`],
    mapper: firstPort + 9,
    home: directory,
  };
  return names.map((name, index) => {
    const amqp = firstPort + index;
    const ports = { amqp, management: firstPort + 3 + index, distribution: firstPort + 6 + index };
    return {
      name,
      port: amqp,
      stopSignal: 'SIGTERM',
      prepare: () => createRabbitNode({ name, directory: join(directory, name), ports }, cluster),
      role: async () =>
        (await rabbitServes({ port: ports.management, user, password }, amqp)) ? 'node' : undefined,
    };
  });
}

function zookeeperServers({ directory, firstPort }: StackPlan): StackServer[] {
  const members = ids.map((_, index) => ({
    client: firstPort + 10 + index,
    peer: firstPort + 13 + index,
    election: firstPort + 16 + index,
  }));
  return members.map((ports, index) => {
    const name = `zookeeper${index + 1}`;
    const place = { directory: join(directory, name), address: '127.0.0.1' };
    return {
      name,
      port: ports.client,
      stopSignal: 'SIGTERM',
      prepare: () => createZookeeperServer({ id: index + 1, ports, ...place }, members),
      role: () => zookeeperMode('127.0.0.1', ports.client),
    };
  });
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port });
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}
