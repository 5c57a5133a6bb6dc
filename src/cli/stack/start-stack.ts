import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PismakError } from '../../engine/ground/errors.ts';
import { type Clock, sleep } from '../../engine/time/clock.ts';
import type { StackPlan } from './stack-plan.ts';
import {
  createDatabase,
  createPrimary,
  createStandby,
  findPrimary,
  isStandby,
  isSynchronous,
} from './stack-postgres.ts';
import { mainProcess, marks, stackProcesses } from './stack-processes.ts';
import { isOneCluster, type StackServer, stackServers } from './stack-servers.ts';

export interface StartOptions {
  clock: Clock;
  signal: AbortSignal;
  say(sentence: string): void;
}

const startMs = 180_000;
const lookMs = 100;

/** Starts the servers that do not run and waits until all are ready. Returns the names of the started ones. */
export async function startStack(plan: StackPlan, options: StartOptions): Promise<string[]> {
  const { mapper, rabbitmq, zookeeper, postgres } = stackServers(plan);
  const processes = await stackProcesses(plan);
  const started = new Map<string, ChildProcess>();

  const isRunning = ({ name }: StackServer) => mainProcess(processes, name) !== undefined;
  const start = async (server: StackServer) => {
    if (isRunning(server)) return;
    started.set(server.name, await runDetached(plan, server));
  };
  /** Polls until `ask` is true. Fails as soon as one of the servers that we have started ends. */
  const until = async (servers: readonly StackServer[], ask: () => Promise<boolean>) => {
    const { clock, signal } = options;
    const end = clock.now() + startMs;
    while (!(await ask())) {
      signal.throwIfAborted();
      const dead = servers.find(({ name }) => hasEnded(started.get(name)));
      if (dead)
        throw new PismakError('unavailable', `${dead.name} has ended: ${await lastWords(plan, dead)}`);
      if (clock.now() > end) throw notReady(plan, servers);
      await sleep(clock, lookMs, signal);
    }
  };
  const untilServes = async (server: StackServer) => {
    await until([server], async () => (await server.role()) !== undefined);
    if (started.has(server.name)) options.say(`${server.name} serves on port ${server.port}`);
  };
  const startAll = async (servers: readonly StackServer[]) => {
    for (const server of servers) await start(server);
    await Promise.all(servers.map(untilServes));
  };

  const startRabbitmq = async () => {
    // Without a port mapper, each node would start its own.
    await startAll([mapper]);
    await startAll(rabbitmq);
    await until(rabbitmq, () => isOneCluster(plan));
  };
  const startPostgres = async () => {
    const [first] = postgres;
    if (first) await createPrimary(first, plan);
    const primary = await findPrimary(postgres);
    if (!primary) throw new PismakError('conflict', `no node of PostgreSQL in ${plan.postgres} is a primary`);
    await startAll([primary]);
    for (const node of postgres.filter((other) => other !== primary)) {
      if (!existsSync(node.data) || !isStandby(node.data)) {
        if (isRunning(node)) throw twoPrimaries(node, primary);
        await createStandby(node, primary, plan);
      }
      await startAll([node]);
    }
    await until(postgres, () => isSynchronous(primary));
    await createDatabase(primary);
  };
  // If one fails, the others keep running: the next `up` finds them.
  await Promise.all([startRabbitmq(), startAll(zookeeper), startPostgres()]);
  return [...started.keys()];
}

/** Runs a server in its own session, so that it survives the end of this process and of the terminal. */
async function runDetached(plan: StackPlan, server: StackServer): Promise<ChildProcess> {
  const { program, args, env, cwd } = await server.prepare();
  await mkdir(join(plan.directory, 'log'), { recursive: true, mode: 0o700 });
  const log = await open(logOf(plan, server), 'a', 0o600);
  try {
    const child = spawn(program, args, {
      cwd,
      env: { ...env, ...marks(plan, server.name) },
      detached: true,
      stdio: ['ignore', log.fd, log.fd],
    });
    await new Promise((resolve, reject) => child.once('spawn', resolve).once('error', reject));
    child.unref();
    return child;
  } finally {
    await log.close();
  }
}

async function lastWords(plan: StackPlan, server: StackServer): Promise<string> {
  const file = logOf(plan, server);
  const text = await readFile(file, 'utf8').catch(() => '');
  return `${text.trimEnd().slice(-1500)}\n(its log: ${file})`;
}

function logOf({ directory }: StackPlan, { name }: StackServer): string {
  return join(directory, 'log', `${name}.log`);
}

function hasEnded(child: ChildProcess | undefined): boolean {
  return child !== undefined && (child.exitCode !== null || child.signalCode !== null);
}

function notReady({ directory }: StackPlan, servers: readonly StackServer[]): PismakError {
  const names = servers.map(({ name }) => name).join(', ');
  const logs = join(directory, 'log');
  return new PismakError('unavailable', `${names}: not ready after ${startMs / 1000} s; logs are in ${logs}`);
}

function twoPrimaries(node: StackServer, primary: StackServer): PismakError {
  return new PismakError(
    'conflict',
    `${node.name} runs as a primary although ${primary.name} was promoted: kill ${node.name}, then run \`pismak stack up\` to make it the standby`,
  );
}
