import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { freePort } from './free-port.ts';

/** The script in sbin would change to another user. */
const server = '/usr/lib/rabbitmq/bin/rabbitmq-server';

export interface NodePlan {
  name: string;
  directory: string;
  ports: { amqp: number; amqps: number; management: number; distribution: number };
}

export async function planNode(directory: string, name: string): Promise<NodePlan> {
  const [amqp, amqps, management, distribution] = [
    await freePort(),
    await freePort(),
    await freePort(),
    await freePort(),
  ];
  return { name, directory: join(directory, name), ports: { amqp, amqps, management, distribution } };
}

/** A group of processes ends as a whole: with its first program, or with us, who hold the other end of its input. */
const endTogether = '{ "$@"; kill -KILL 0; } & cat >/dev/null; kill -KILL 0';

function spawnBound(command: string, args: string[], env: NodeJS.ProcessEnv): ChildProcess {
  const all = ['-c', endTogether, 'sh', command, ...args];
  const child = spawn('sh', all, { env, cwd: '/', stdio: ['pipe', 'ignore', 'ignore'], detached: true });
  child.unref();
  if (child.stdin instanceof Socket) child.stdin.unref();
  return child;
}

async function killGroup(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const exited = once(child, 'exit');
  child.ref();
  process.kill(-child.pid, 'SIGKILL');
  await exited;
}

/** The port mapper of Erlang, on a port of its own. */
export async function startPortMapper(): Promise<{ port: number; stop(): Promise<void> }> {
  const port = await freePort();
  const child = spawnBound('epmd', ['-port', String(port), '-address', '127.0.0.1'], process.env);
  return { port, stop: () => killGroup(child) };
}

/** Writes a node's files and returns what starts and kills it. */
export async function createNode(
  plan: NodePlan,
  shared: { settings: string[]; mapper: number; home: string },
) {
  const { directory, ports, name } = plan;
  await mkdir(directory);
  const path = (file: string) => join(directory, file);
  const settings = [
    `listeners.tcp.1 = 127.0.0.1:${ports.amqp}`,
    `management.tcp.port = ${ports.management}`,
    'management.tcp.ip = 127.0.0.1',
    ...shared.settings,
  ];
  await writeFile(
    path('rabbitmq.conf'),
    settings
      .map((line) => `${line}\n`)
      .join('')
      .replaceAll(/\bAMQPS?\b/g, (name) => `${name === 'AMQP' ? ports.amqp : ports.amqps}`),
  );
  await writeFile(path('plugins'), '[rabbitmq_management].\n');
  await writeFile(path('empty'), '');
  const env = {
    PATH: process.env.PATH,
    HOME: shared.home,
    LC_ALL: 'C.UTF-8',
    RABBITMQ_NODENAME: `${name}@localhost`,
    RABBITMQ_DIST_PORT: String(ports.distribution),
    RABBITMQ_CONFIG_FILE: path('rabbitmq.conf'),
    RABBITMQ_MNESIA_BASE: path('data'),
    RABBITMQ_LOG_BASE: path('log'),
    RABBITMQ_PID_FILE: path('pid'),
    RABBITMQ_ENABLED_PLUGINS_FILE: path('plugins'),
    RABBITMQ_CONF_ENV_FILE: path('empty'),
    ERL_EPMD_PORT: String(shared.mapper),
    ERL_EPMD_ADDRESS: '127.0.0.1',
    RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS:
      '-kernel inet_dist_use_interface {127,0,0,1} +S 2:2 +sbwt none +sbwtdcpu none +sbwtdio none',
  };
  let child: ChildProcess | undefined;
  return {
    env,
    start() {
      child = spawnBound(server, [], env);
    },
    get hasEnded() {
      return child !== undefined && (child.exitCode !== null || child.signalCode !== null);
    },
    async kill() {
      if (child) await killGroup(child);
    },
  };
}
