import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
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
 * Ensemble of three on loopback ports of its own, gone when this process is gone. With `tls`, that is in the URL; with
 * `address`, clients come there instead of 127.0.0.1.
 */
export async function startZookeeper(
  options: { tls?: boolean; address?: string } = {},
): Promise<ZookeeperEnsemble> {
  const { address = '127.0.0.1' } = options;
  const directory = await mkdtemp(join(tmpdir(), 'pismak-zookeeper-'));
  const certificates = options.tls ? await createCertificates(join(directory, 'tls')) : undefined;
  const ids = [1, 2, 3];
  const ports = await Promise.all(
    ids.map(async () => ({
      peer: await freePort(),
      election: await freePort(),
      client: await freePort(),
      secure: await freePort(),
    })),
  );
  const members = ports.map(
    ({ peer, election }, index) => `server.${ids[index]}=127.0.0.1:${peer}:${election}`,
  );
  const servers: ZookeeperServer[] = [];
  for (const [index, port] of ports.entries()) {
    const home = join(directory, String(ids[index]));
    await mkdir(home);
    await writeFile(join(home, 'myid'), String(ids[index]));
    const place = [`clientPortAddress=${address}`, `clientPort=${port.client}`];
    const lines = [...usualSettings, `dataDir=${home}`, ...place, ...members];
    if (certificates)
      lines.push(...(await tlsSettings(home, certificates)), `secureClientPort=${port.secure}`);
    await writeFile(join(home, 'zoo.cfg'), `${lines.join('\n')}\n`);
    servers.push(serverAt(home, address, port.client, certificates ? port.secure : port.client));
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

const usualSettings = [
  'tickTime=500',
  'initLimit=20',
  'syncLimit=6',
  'minSessionTimeout=1000',
  'maxSessionTimeout=60000',
  // By default one machine may have 60 connections.
  'maxClientCnxns=0',
  'admin.enableServer=false',
  '4lw.commands.whitelist=srvr',
];

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

function serverAt(home: string, host: string, port: number, clientPort: number): ZookeeperServer {
  let child: ChildProcess | undefined;
  const status = (line: string) =>
    ask(host, port, 'srvr').then((answer) => new RegExp(`^${line}: (.*)$`, 'm').exec(answer)?.[1]);
  return {
    address: `${host}:${clientPort}`,
    isLeader: async () => (await status('Mode')) === 'leader',
    signal: (signal) => child?.kill(signal),
    async kill() {
      if (!child || child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
    async start() {
      // It must end with this process, however that ends.
      const started = spawn(
        'setpriv',
        ['--pdeathsig', 'KILL', 'java', ...javaArguments, join(home, 'zoo.cfg')],
        {
          cwd: home,
          stdio: ['ignore', 'ignore', 'pipe'],
        },
      );
      child = started;
      let said = '';
      started.stderr.setEncoding('utf8').on('data', (piece: string) => {
        said = (said + piece).slice(-4000);
      });
      await eventually(
        'ZooKeeper serves',
        async () => {
          if (started.exitCode !== null) throw new Error(`ZooKeeper did not start: ${said}`);
          return status('Mode');
        },
        60_000,
      );
    },
  };
}

// The archive names what it needs itself, but for TLS Debian's forgets two.
const archives = ['zookeeper', 'slf4j-simple', 'netty-codec', 'netty-resolver'];
const javaArguments = [
  ...[
    '-Xms32m',
    '-Xmx128m',
    '-XX:+UseSerialGC',
    '-XX:TieredStopAtLevel=1',
    '-Djava.net.preferIPv4Stack=true',
  ],
  ...['-Dzookeeper.jmx.log4j.disable=true', '-Dorg.slf4j.simpleLogger.defaultLogLevel=warn'],
  ...['-cp', archives.map((name) => `/usr/share/java/${name}.jar`).join(':')],
  'org.apache.zookeeper.server.quorum.QuorumPeerMain',
];

/** One of the server's own four-letter questions; an empty answer when it does not listen yet. */
async function ask(host: string, port: number, question: string): Promise<string> {
  const socket = connect({ host, port });
  socket.on('error', () => {});
  socket.write(question);
  return text(socket).catch(() => '');
}
