import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ServerCommand } from '../../local-servers/server-command.ts';
import { createZookeeperServer, zookeeperMode } from '../../local-servers/zookeeper-server.ts';
import { eventually } from '../eventually.ts';
import { type Certificates, createCertificates } from './certificates.ts';
import { freePort } from './free-port.ts';

export interface ZookeeperServer {
  /** `127.0.0.1:port` for clients. */
  address: string;
  isLeader(): Promise<boolean>;
  /** SIGSTOP makes it hang, SIGCONT go on. */
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void;
  kill(): Promise<void>;
  /** After `kill`, on what it has stored. */
  start(): Promise<void>;
}

export interface ZookeeperEnsemble {
  servers: ZookeeperServer[];
  /** All servers, without a path. */
  url: string;
  certificates?: Certificates;
  /** Like a power cut for all of them; they go on with what they have stored. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

/**
 * An ensemble of three, or a single server, on its own loopback ports; it ends with this process. With `tls`, the URL says
 * so; with `address`, clients connect there instead of 127.0.0.1. With `sasl`, clients must authenticate by it.
 */
export async function startZookeeper(
  options: { size?: 1 | 3; tls?: boolean; address?: string; sasl?: SaslUsers } = {},
): Promise<ZookeeperEnsemble> {
  const { size = 3, address = '127.0.0.1' } = options;
  const directory = await mkdtemp(join(tmpdir(), 'pismak-zookeeper-'));
  const certificates = options.tls ? await createCertificates(join(directory, 'tls')) : undefined;
  const ids = [1, 2, 3].slice(0, size);
  const ports = await Promise.all(
    ids.map(async () => ({
      peer: await freePort(),
      election: await freePort(),
      client: await freePort(),
      secure: await freePort(),
    })),
  );
  const servers: ZookeeperServer[] = [];
  for (const [index, port] of ports.entries()) {
    const home = join(directory, String(ids[index]));
    await mkdir(home);
    const settings = certificates
      ? [...(await tlsSettings(home, certificates)), `secureClientPort=${port.secure}`]
      : [];
    const java = options.sasl ? [await saslOption(home, options.sasl)] : [];
    if (options.sasl) settings.push(...saslSettings);
    const plan = { id: ids[index] ?? 0, directory: home, address, ports: port, settings, java };
    const command = await createZookeeperServer(plan, ports);
    servers.push(serverAt(command, address, port.client, certificates ? port.secure : port.client));
  }
  const all = async (action: (server: ZookeeperServer) => Promise<void>) => {
    await Promise.all(servers.map(action));
  };
  const close = async () => {
    await all((server) => server.kill());
    await rm(directory, { recursive: true, force: true, maxRetries: 3 });
  };
  try {
    await all((server) => server.start());
  } catch (error) {
    await close();
    throw error;
  }
  return {
    servers,
    url: `zookeeper${certificates ? 's' : ''}://${servers.map(({ address }) => address).join(',')}`,
    ...(certificates && { certificates }),
    async restart() {
      await all((server) => server.kill());
      await all((server) => server.start());
    },
    close,
  };
}

/** Passwords by user. */
export type SaslUsers = Readonly<Record<string, string>>;

const saslSettings = [
  'authProvider.1=org.apache.zookeeper.server.auth.SASLAuthenticationProvider',
  'requireClientAuthScheme=sasl',
  'enforce.auth.enabled=true',
  'enforce.auth.schemes=sasl',
];

async function saslOption(home: string, users: SaslUsers): Promise<string> {
  const file = join(home, 'jaas.conf');
  const entries = Object.entries(users).map(([user, password]) => `user_${user}="${password}"`);
  const module = 'org.apache.zookeeper.server.auth.DigestLoginModule';
  await writeFile(file, `Server { ${module} required ${entries.join(' ')}; };\n`);
  return `-Djava.security.auth.login.config=${file}`;
}

async function tlsSettings(home: string, { authority, certificate, key }: Certificates): Promise<string[]> {
  const both = join(home, 'server-with-key.pem');
  await writeFile(both, (await readFile(key, 'utf8')) + (await readFile(certificate, 'utf8')));
  return [
    'serverCnxnFactory=org.apache.zookeeper.server.NettyServerCnxnFactory',
    'secureClientPortAddress=127.0.0.1',
    `ssl.keyStore.location=${both}`,
    `ssl.trustStore.location=${authority}`,
    'ssl.clientAuth=none',
  ];
}

function serverAt(
  { program, args, cwd }: ServerCommand,
  host: string,
  port: number,
  clientPort: number,
): ZookeeperServer {
  let child: ChildProcess | undefined;
  const mode = () => zookeeperMode(host, port);
  return {
    address: `${host}:${clientPort}`,
    isLeader: async () => (await mode()) === 'leader',
    signal: (signal) => child?.kill(signal),
    async kill() {
      if (!child || child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
    async start() {
      // It must end with this process, however that ends.
      const started = spawn('setpriv', ['--pdeathsig', 'KILL', program, ...args], {
        cwd,
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      child = started;
      let said = '';
      started.stderr.setEncoding('utf8').on('data', (piece: string) => {
        said = (said + piece).slice(-4000);
      });
      await eventually('ZooKeeper serves', async () => {
        if (started.exitCode !== null) throw new Error(`ZooKeeper did not start: ${said}`);
        return mode();
      });
    },
  };
}
