import { existsSync } from 'node:fs';
import { readdir, readlink, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import {
  copyPostgresData,
  createPostgresData,
  postgresCommand,
} from '../../engine/local-servers/postgres-node.ts';
import { postgresProgram, runPostgres } from '../../engine/local-servers/postgres-programs.ts';
import { sleep, systemClock } from '../../engine/time/clock.ts';
import { type StackPlan, stackUser } from './stack-plan.ts';
import type { StackServer } from './stack-servers.ts';

export interface PostgresNode extends StackServer {
  data: string;
  /** Runs a statement and returns the first value. */
  ask(statement: string): Promise<string>;
}

export function postgresNodes({ firstPort, password, postgres }: StackPlan): PostgresNode[] {
  return [1, 2].map((id) => {
    const data = join(postgres, `node${id}`);
    const port = firstPort + 18 + id;
    return {
      name: `postgres${id}`,
      port,
      data,
      stopSignal: 'SIGINT',
      async prepare() {
        await forgetDeadServer(data);
        return postgresCommand(data, { port: String(port) });
      },
      role: () =>
        runPostgres('pg_isready', ['-q', '-h', '127.0.0.1', '-p', String(port)]).then(
          () => (isStandby(data) ? 'standby' : 'primary'),
          () => undefined,
        ),
      ask: (statement) =>
        runPostgres('psql', ['-XAtqc', statement, addressOf(port)], { PGPASSWORD: password }),
    };
  });
}

/** Creates the data of the first node, if there is none. */
export async function createPrimary({ data }: PostgresNode, { password }: StackPlan): Promise<void> {
  if (existsSync(data)) return;
  const part = `${data}.part`;
  await rm(part, { recursive: true, force: true });
  await createPostgresData(part, { user: stackUser, password, access: 'host' });
  await rename(part, data);
}

/** Makes a node the standby of a running one. Deletes the node's old data. */
export async function createStandby(
  { data }: PostgresNode,
  primary: PostgresNode,
  { password }: StackPlan,
): Promise<void> {
  const part = `${data}.part`;
  await rm(part, { recursive: true, force: true });
  const from = `${addressOf(primary.port, 'postgres')} application_name=standby`;
  await copyPostgresData(from, part, { PGPASSWORD: password });
  await rm(data, { recursive: true, force: true });
  await rename(part, data);
}

/** Makes commits wait for the standby once it is connected. True when replication is synchronous. */
export async function isSynchronous(primary: PostgresNode): Promise<boolean> {
  if ((await primary.ask('SHOW synchronous_standby_names')) !== 'standby') {
    if ((await primary.ask('SELECT count(*) FROM pg_stat_replication')) === '0') return false;
    await primary.ask('ALTER SYSTEM SET synchronous_standby_names = standby');
    await primary.ask('SELECT pg_reload_conf()');
  }
  return (await primary.ask('SELECT sync_state FROM pg_stat_replication')) === 'sync';
}

/** The command that makes a standby the primary, as the user that owns its data. */
export async function promoteCommand({ data }: PostgresNode): Promise<string> {
  return [...(await postgresProgram('pg_ctl')), 'promote', '-D', data].join(' ');
}

/** The database has the same name as the user. */
export async function createDatabase(primary: PostgresNode): Promise<void> {
  if ((await primary.ask(`SELECT 1 FROM pg_database WHERE datname = '${stackUser}'`)) === '1') return;
  await primary.ask(`CREATE DATABASE ${stackUser}`);
}

/** The current primary: after a promotion, the node with the newer timeline. */
export async function findPrimary(nodes: readonly PostgresNode[]): Promise<PostgresNode | undefined> {
  const able = nodes.filter(({ data }) => existsSync(data) && !isStandby(data));
  const timelines = await Promise.all(able.map(({ data }) => timelineOf(data)));
  return able[timelines.indexOf(Math.max(...timelines))];
}

export function isStandby(data: string): boolean {
  return existsSync(join(data, 'standby.signal'));
}

/** A promotion writes the history of the new timeline at once; the control file follows at the next checkpoint. */
async function timelineOf(data: string): Promise<number> {
  const histories = (await readdir(join(data, 'pg_wal'))).filter((name) => name.endsWith('.history'));
  return Math.max(1, ...histories.map((name) => Number.parseInt(name, 16)));
}

/**
 * Without a process that reaps zombies, as in a container without an init, a killed server seems to live, and the next
 * one would not start. Waits until no process uses the data any more, then removes the pid file.
 */
async function forgetDeadServer(data: string): Promise<void> {
  while (await isWorkedIn(data)) await sleep(systemClock, 20);
  await rm(join(data, 'postmaster.pid'), { force: true });
}

async function isWorkedIn(directory: string): Promise<boolean> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const places = await Promise.all(pids.map((pid) => readlink(`/proc/${pid}/cwd`).catch(() => '')));
  return places.includes(directory);
}

function addressOf(port: number, name = 'postgres'): string {
  return `host=127.0.0.1 port=${port} user=${stackUser} dbname=${name}`;
}
