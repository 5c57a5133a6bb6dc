import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { askRabbit, rabbitServes } from '../../local-servers/rabbitmq-management.ts';
import { rabbitClusterSettings, rabbitmqctl } from '../../local-servers/rabbitmq-node.ts';
import { eventually } from '../eventually.ts';
import { type Certificates, createCertificates } from './certificates.ts';
import { createNode, planNode, startPortMapper } from './rabbitmq-node.ts';

const startMs = 90_000;

export interface RabbitCluster {
  certificates: Certificates;
  nodes: RabbitNode[];
  /** A new empty virtual host for one test, as URLs of all nodes. */
  createHost(): Promise<{ url: string; tlsUrl: string; name: string }>;
  /** Asks the management API; the path begins after /api. */
  manage(method: string, path: string, body?: unknown): Promise<unknown>;
  close(): Promise<void>;
}

export interface RabbitNode {
  /** Where its clients come from, in the management API: `rabbit1@localhost`. */
  name: string;
  /** kill -9. */
  kill(): Promise<void>;
  /** After `kill`, with the same data and ports; resolves when it serves again. */
  start(): Promise<void>;
  /** Runs `rabbitmqctl` against it. */
  control(...args: string[]): Promise<string>;
}

/**
 * A RabbitMQ cluster on loopback ports of its own, with TLS beside plain ports; gone when this process is gone. With
 * `address`, plain clients come there as well, and plain URLs say so.
 */
export async function startRabbitCluster(
  size = 3,
  options: { address?: string } = {},
): Promise<RabbitCluster> {
  const directory = await mkdtemp(join(tmpdir(), 'pismak-rabbitmq-'));
  const stops: (() => Promise<void>)[] = [];
  const close = async () => {
    await Promise.all(stops.map((stop) => stop()));
    await rm(directory, { recursive: true, force: true, maxRetries: 3 });
  };
  try {
    return { ...(await startNodes(directory, size, stops, options.address)), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function startNodes(
  directory: string,
  size: number,
  stops: (() => Promise<void>)[],
  address: string | undefined,
): Promise<Omit<RabbitCluster, 'close'>> {
  const user = 'pismak';
  // `+` and `/` show that passwords are unescaped from URLs.
  const password = `${randomBytes(12).toString('hex')}+/`;
  const credentials = `${user}:${encodeURIComponent(password)}`;
  await writeFile(join(directory, '.erlang.cookie'), randomBytes(16).toString('hex'), { mode: 0o400 });
  const certificates = await createCertificates(join(directory, 'tls'));
  const mapper = await startPortMapper();
  stops.push(mapper.stop);

  const names = Array.from({ length: size }, (_, index) => `rabbit${index + 1}`);
  const plans = await Promise.all(names.map((name) => planNode(directory, name)));
  const settings = [
    ...rabbitClusterSettings(names, { user, password }),
    'listeners.ssl.1 = 127.0.0.1:AMQPS',
    ...(address ? [`listeners.tcp.2 = ${address}:AMQP`] : []),
    `ssl_options.cacertfile = ${certificates.authority}`,
    `ssl_options.certfile = ${certificates.certificate}`,
    `ssl_options.keyfile = ${certificates.key}`,
  ];
  const nodes = await Promise.all(
    plans.map((plan) => createNode(plan, { settings, mapper: mapper.port, home: directory })),
  );
  for (const node of nodes) {
    node.start();
    stops.push(node.kill);
  }

  const managementOf = ({ management: port }: { management: number }) => ({ port, user, password });
  const manage = async (method: string, path: string, body?: unknown) => {
    const answers = plans.map(
      ({ ports }) =>
        () =>
          askRabbit(managementOf(ports), method, path, body),
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
  const serves = async (index: number) => {
    if (nodes[index]?.hasEnded) {
      const log = await readFile(
        join(directory, names[index] ?? '', 'log', `${names[index]}@localhost.log`),
        'utf8',
      ).catch(() => '');
      throw new Error(`RabbitMQ did not start: ${log.slice(-3000)}`);
    }
    const ports = plans[index]?.ports;
    return ports !== undefined && rabbitServes(managementOf(ports), ports.amqp);
  };
  for (const index of nodes.keys()) await eventually(`${names[index]} serves`, () => serves(index), startMs);
  await eventually(
    'all are in the cluster',
    async () => {
      const members = (await manage('GET', '/nodes')) as { running: boolean }[];
      return members.filter((member) => member.running).length === size;
    },
    startMs,
  );

  const hosts = (port: 'amqp' | 'amqps', host = '127.0.0.1') =>
    plans.map((plan) => `${host}:${plan.ports[port]}`).join(',');
  return {
    certificates,
    manage,
    nodes: nodes.map((node, index) => ({
      name: `${names[index]}@localhost`,
      kill: node.kill,
      async start() {
        node.start();
        await eventually(`${names[index]} serves`, () => serves(index), startMs);
      },
      control: async (...args) => (await promisify(execFile)(rabbitmqctl, args, { env: node.env })).stdout,
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
