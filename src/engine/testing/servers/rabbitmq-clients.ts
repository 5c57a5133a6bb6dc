import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { askRabbit } from '../../local-servers/rabbitmq-management.ts';
import { eventually } from '../eventually.ts';
import type { Certificates } from './certificates.ts';
import type { NodePlan } from './rabbitmq-node.ts';

export const startMs = 90_000;

/** Everything a process needs to use a cluster that another one has started. */
export interface RabbitAccess {
  user: string;
  password: string;
  certificates: Certificates;
  /** Where plain clients connect, if not to 127.0.0.1. */
  address?: string;
  nodes: (Pick<NodePlan, 'name' | 'ports'> & { env: NodeJS.ProcessEnv })[];
}

export interface RabbitClients {
  certificates: Certificates;
  nodes: RabbitClientNode[];
  /** A new empty virtual host for one test, as URLs of all nodes. */
  createHost(): Promise<{ url: string; tlsUrl: string; name: string }>;
  /** Asks the management API; the path begins after /api. */
  manage(method: string, path: string, body?: unknown): Promise<unknown>;
}

export interface RabbitClientNode {
  /** Where its clients come from, in the management API: `rabbit1@localhost`. */
  name: string;
  /** Asks the management API of this node. */
  manage(method: string, path: string, body?: unknown): Promise<unknown>;
  /** Runs `rabbitmqctl` against it. */
  control(...args: string[]): Promise<string>;
}

export function clientsOf({ user, password, certificates, address, nodes }: RabbitAccess): RabbitClients {
  const request = (port: number, method: string, path: string, body?: unknown): Promise<unknown> =>
    askRabbit({ port, user, password }, method, path, body);
  const manage = async (method: string, path: string, body?: unknown) => {
    const answers = nodes.map(
      ({ ports }) =>
        () =>
          request(ports.management, method, path, body),
    );
    for (const ask of answers.slice(0, -1)) {
      const answer = await ask().catch((error: unknown) => {
        // A node that is down: the next one is asked.
        if (error instanceof TypeError) return error;
        throw error;
      });
      if (!(answer instanceof TypeError)) return answer;
    }
    return answers.at(-1)?.();
  };
  const credentials = `${user}:${encodeURIComponent(password)}`;
  const hosts = (port: 'amqp' | 'amqps', host = '127.0.0.1') =>
    nodes.map(({ ports }) => `${host}:${ports[port]}`).join(',');
  return {
    certificates,
    manage,
    nodes: nodes.map(({ name, ports, env }) => ({
      name: `${name}@localhost`,
      manage: (method, path, body) => request(ports.management, method, path, body),
      control: async (...args) =>
        (await promisify(execFile)('/usr/lib/rabbitmq/bin/rabbitmqctl', args, { env })).stdout,
    })),
    async createHost() {
      const name = `test-${randomBytes(6).toString('hex')}`;
      // On a busy machine it may take longer than the server waits.
      const create = () =>
        manage('PUT', `/vhosts/${name}`, {}).then(
          () => true,
          () => false,
        );
      await eventually('there is a virtual host', create, startMs);
      await manage('PUT', `/permissions/${name}/${user}`, { configure: '.*', write: '.*', read: '.*' });
      return {
        name,
        url: `amqp://${credentials}@${hosts('amqp', address)}/${name}`,
        tlsUrl: `amqps://${credentials}@${hosts('amqps')}/${name}`,
      };
    },
  };
}
