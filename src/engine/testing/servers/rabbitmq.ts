import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rabbitServes } from '../../local-servers/rabbitmq-management.ts';
import { rabbitClusterSettings } from '../../local-servers/rabbitmq-node.ts';
import { eventually } from '../eventually.ts';
import { createCertificates } from './certificates.ts';
import {
  clientsOf,
  type RabbitAccess,
  type RabbitClientNode,
  type RabbitClients,
  startMs,
} from './rabbitmq-clients.ts';
import { createNode, planNode, startPortMapper } from './rabbitmq-node.ts';

export interface RabbitCluster extends RabbitClients {
  nodes: RabbitNode[];
  access: RabbitAccess;
  close(): Promise<void>;
}

export interface RabbitNode extends RabbitClientNode {
  /** kill -9. */
  kill(): Promise<void>;
  /** After `kill`, with the same data and ports; resolves when it serves again. */
  start(): Promise<void>;
}

/**
 * A RabbitMQ cluster on its own loopback ports, with TLS beside plain ports; it ends with this process. With
 * `address`, plain clients can connect there too, and plain URLs say so.
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

  const access: RabbitAccess = {
    user,
    password,
    certificates,
    ...(address && { address }),
    nodes: plans.map(({ name, ports }, index) => ({ name, ports, env: nodes[index]?.env ?? {} })),
  };
  const clients = clientsOf(access);
  const serves = async (index: number) => {
    if (nodes[index]?.hasEnded) {
      const log = await readFile(
        join(directory, names[index] ?? '', 'log', `${names[index]}@localhost.log`),
        'utf8',
      ).catch(() => '');
      throw new Error(`RabbitMQ did not start: ${log.slice(-3000)}`);
    }
    const ports = plans[index]?.ports;
    return ports !== undefined && rabbitServes({ port: ports.management, user, password }, ports.amqp);
  };
  for (const index of nodes.keys()) await eventually(`${names[index]} serves`, () => serves(index), startMs);
  await eventually(
    'all are in the cluster',
    async () => {
      const members = (await clients.manage('GET', '/nodes')) as { running: boolean }[];
      return members.filter((member) => member.running).length === size;
    },
    startMs,
  );

  return {
    ...clients,
    access,
    nodes: clients.nodes.map((client, index) => ({
      ...client,
      kill: async () => nodes[index]?.kill(),
      async start() {
        nodes[index]?.start();
        // After a kill its start sometimes fails, and succeeds when it is repeated, as a service manager would do.
        let repeats = 3;
        const servesAgain = () => {
          if (nodes[index]?.hasEnded && repeats-- > 0) nodes[index]?.start();
          return serves(index);
        };
        await eventually(`${client.name} serves`, servesAgain, startMs);
      },
    })),
  };
}
