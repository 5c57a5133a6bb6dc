import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { createRabbitNode, portMapperCommand } from '../../local-servers/rabbitmq-node.ts';
import type { ServerCommand } from '../../local-servers/server-command.ts';
import { freePort } from './free-port.ts';

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

/** A process group ends as a whole: with its first program, or with this process, which holds the other end of its input. */
const endTogether = '{ "$@"; kill -KILL 0; } & cat >/dev/null; kill -KILL 0';

function spawnBound({ program, args, env, cwd }: ServerCommand): ChildProcess {
  const all = ['-c', endTogether, 'sh', program, ...args];
  const child = spawn('sh', all, { env, cwd, stdio: ['pipe', 'ignore', 'ignore'], detached: true });
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

/** Erlang's port mapper, on its own port. */
export async function startPortMapper(): Promise<{ port: number; stop(): Promise<void> }> {
  const port = await freePort();
  const child = spawnBound(portMapperCommand(port));
  return { port, stop: () => killGroup(child) };
}

/** Writes a node's files and returns what starts and kills it. */
export async function createNode(
  plan: NodePlan,
  shared: { settings: string[]; mapper: number; home: string },
) {
  const portOf = (name: string) => String(name === 'AMQP' ? plan.ports.amqp : plan.ports.amqps);
  const settings = shared.settings.map((line) => line.replaceAll(/\bAMQPS?\b/g, portOf));
  const command = await createRabbitNode(plan, { ...shared, settings });
  let child: ChildProcess | undefined;
  return {
    env: command.env,
    start() {
      child = spawnBound(command);
    },
    get hasEnded() {
      return child !== undefined && (child.exitCode !== null || child.signalCode !== null);
    },
    async kill() {
      if (child) await killGroup(child);
    },
  };
}
