import { mkdir, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { ServerCommand } from './server-command.ts';

export interface ZookeeperPlan {
  /** 1, 2, 3... */
  id: number;
  directory: string;
  /** The address of the client port. */
  address: string;
  ports: ZookeeperPorts;
  /** Additional lines of zoo.cfg. */
  settings?: readonly string[];
  /** Additional options of Java. */
  java?: readonly string[];
}

export interface ZookeeperPorts {
  client: number;
  peer: number;
  election: number;
}

const usualSettings = [
  'tickTime=500',
  'initLimit=20',
  'syncLimit=6',
  'minSessionTimeout=1000',
  'maxSessionTimeout=60000',
  // By default, one machine may have 60 connections.
  'maxClientCnxns=0',
  'admin.enableServer=false',
  '4lw.commands.whitelist=srvr',
];

/** Writes the files of one server of an ensemble (`members`: the ports of all, in the order of their ids) and returns the command that runs it. */
export async function createZookeeperServer(
  { id, directory, address, ports, settings = [], java = [] }: ZookeeperPlan,
  members: readonly ZookeeperPorts[],
): Promise<ServerCommand> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  await writeFile(join(directory, 'myid'), String(id));
  const lines = [
    ...usualSettings,
    `dataDir=${directory}`,
    `clientPortAddress=${address}`,
    `clientPort=${ports.client}`,
    ...members.map(({ peer, election }, index) => `server.${index + 1}=127.0.0.1:${peer}:${election}`),
    ...settings,
  ];
  const file = join(directory, 'zoo.cfg');
  await writeFile(file, `${lines.join('\n')}\n`);
  const env = { PATH: process.env.PATH, HOME: directory };
  return { program: 'java', args: [...java, ...javaArguments, file], env, cwd: directory };
}

/** `leader` or `follower`; undefined when the server does not serve. */
export async function zookeeperMode(host: string, port: number): Promise<string | undefined> {
  return /^Mode: (.*)$/m.exec(await ask(host, port, 'srvr'))?.[1];
}

// The archive lists its own dependencies, but Debian's omits two that TLS needs.
const archives = ['zookeeper', 'slf4j-simple', 'netty-codec', 'netty-resolver'];
const javaArguments = [
  '-Xms32m',
  '-Xmx128m',
  '-XX:+UseSerialGC',
  '-XX:TieredStopAtLevel=1',
  '-Djava.net.preferIPv4Stack=true',
  '-Dzookeeper.jmx.log4j.disable=true',
  '-Dorg.slf4j.simpleLogger.defaultLogLevel=warn',
  '-cp',
  archives.map((name) => `/usr/share/java/${name}.jar`).join(':'),
  'org.apache.zookeeper.server.quorum.QuorumPeerMain',
];

/** Sends one of the server's four-letter commands; the answer is empty if the server does not listen yet. */
async function ask(host: string, port: number, question: string): Promise<string> {
  const socket = connect({ host, port });
  socket.on('error', () => {});
  socket.setTimeout(5000, () => socket.destroy());
  socket.write(question);
  return text(socket).catch(() => '');
}
