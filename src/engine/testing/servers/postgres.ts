import { randomBytes } from 'node:crypto';
import { chown, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { copyPostgresData, createPostgresData } from '../../local-servers/postgres-node.ts';
import { eventually } from '../eventually.ts';
import { type Certificates, createCertificates } from './certificates.ts';
import { postgresUser, run, runPostgres, startNode } from './postgres-node.ts';

export interface PostgresServer {
  /** All nodes; clients look for the one that accepts writes. */
  url: string;
  primary: PostgresNode;
  standby?: PostgresNode & { promote(): Promise<void> };
  /** After `primary.kill` and `standby.promote`: what was the primary comes back as the synchronous standby. */
  rejoin(): Promise<void>;
  certificates?: Certificates;
  /** A new empty database for one test, as a URL of all nodes. */
  createDatabase(): Promise<string>;
  close(): Promise<void>;
}

export interface PostgresNode {
  url: string;
  /** Like a power cut: SIGKILL to the server and all its processes. */
  kill(): Promise<void>;
  stop(): Promise<void>;
  /** Like a machine that hangs: it keeps its connections and says nothing. Only `kill` helps. */
  freeze(): Promise<void>;
  /** After `kill` or `stop`, with the same data on the same port. */
  start(): Promise<void>;
}

interface PostgresOptions {
  standby?: boolean;
  tls?: boolean;
  address?: string;
  /** As in postgresql.conf. */
  settings?: Readonly<Record<string, string>>;
}

/**
 * PostgreSQL on its own loopback ports, durable as in production; it ends with this process. With `standby`, there is a
 * synchronous standby: a commit that resolved is on both. With `tls`, nothing else is accepted; URLs name the authority.
 * With `address`, it listens there too, and URLs say so.
 */
export async function startPostgres(options: PostgresOptions = {}): Promise<PostgresServer> {
  const directory = await mkdtemp(join(tmpdir(), 'pismak-postgres-'));
  const nodes: { kill(): Promise<void> }[] = [];
  const close = async () => {
    await Promise.all(nodes.map((node) => node.kill()));
    await rm(directory, { recursive: true, force: true, maxRetries: 3 });
  };
  try {
    return { ...(await startNodes(directory, options, nodes)), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function startNodes(
  directory: string,
  options: PostgresOptions,
  started: { kill(): Promise<void> }[],
): Promise<Omit<PostgresServer, 'close'>> {
  const owner = await postgresUser();
  if (owner) await chown(directory, owner.uid, owner.gid);
  // `+` and `/` show that passwords are unescaped from URLs.
  const password = `${randomBytes(12).toString('hex')}+/`;
  const certificates = options.tls ? await createCertificates(join(directory, 'tls'), owner) : undefined;

  const data = join(directory, 'primary');
  await createPostgresData(data, { user: 'pismak', password, access: certificates ? 'hostssl' : 'host' });

  const urlOf = (ports: number[], database = 'postgres', address = '127.0.0.1') => {
    const hosts = ports.map((port) => `${address}:${port}`).join(',');
    const parameters = new URLSearchParams();
    if (ports.length > 1) parameters.set('target_session_attrs', 'read-write');
    if (certificates) parameters.set('sslmode', 'verify-full');
    if (certificates) parameters.set('sslrootcert', certificates.authority);
    const query = parameters.size > 0 ? `?${parameters}` : '';
    return `postgres://pismak:${encodeURIComponent(password)}@${hosts}/${database}${query}`;
  };
  const settings: Record<string, string> = {
    ...options.settings,
    ...(options.address && { listen_addresses: `127.0.0.1,${options.address}` }),
    ...(certificates && {
      ssl: 'on',
      ssl_cert_file: certificates.certificate,
      ssl_key_file: certificates.key,
    }),
  };

  const synchronous = options.standby ? { synchronous_standby_names: 'standby' } : {};
  // Without its standby a commit would wait forever: commit nothing until the standby is there.
  const primary = await startNode(data, { ...settings, ...synchronous });
  started.push(primary);
  const ports = [primary.port];
  const nodeOf = ({ port, ...node }: typeof primary) => ({ url: urlOf([port]), ...node });

  const copyNode = async (from: number, to: string) => {
    const source = `${urlOf([from], '')}${certificates ? '&' : '?'}application_name=standby`;
    await copyPostgresData(source, to);
  };
  const untilSynchronous = (port: number) =>
    eventually('the standby is synchronous', async () =>
      (await ask(urlOf([port]), 'SELECT sync_state FROM pg_stat_replication')).includes('sync'),
    );

  let standby: PostgresServer['standby'];
  if (options.standby) {
    const copy = join(directory, 'standby');
    await copyNode(primary.port, copy);
    const node = await startNode(copy, settings);
    started.push(node);
    ports.push(node.port);
    await untilSynchronous(primary.port);
    standby = {
      ...nodeOf(node),
      promote: () => runPostgres('pg_ctl', ['promote', '-w', '-D', copy]).then(() => {}),
    };
  }

  return {
    url: urlOf(ports),
    primary: nodeOf(primary),
    ...(standby && { standby }),
    ...(certificates && { certificates }),
    async rejoin() {
      const [, promoted = 0] = ports;
      await rm(data, { recursive: true });
      await copyNode(promoted, data);
      await primary.start();
      await ask(urlOf([promoted]), 'ALTER SYSTEM SET synchronous_standby_names = standby');
      await ask(urlOf([promoted]), 'SELECT pg_reload_conf()');
      await untilSynchronous(promoted);
    },
    createDatabase: () => createDatabaseAt(urlOf(ports), (name) => urlOf(ports, name, options.address)),
  };
}

/** Takes a URL of the database `postgres`; returns the URL of the new one. */
export async function createDatabaseAt(
  url: string,
  urlOf = (name: string) => url.replace(/\/postgres$/, `/${name}`),
): Promise<string> {
  const name = `test_${randomBytes(6).toString('hex')}`;
  await ask(url, `CREATE DATABASE "${name}"`);
  return urlOf(name);
}

/** Closes all connections to them. */
export async function dropDatabasesAt(url: string, databases: readonly string[]): Promise<void> {
  const names = databases.map((database) => new URL(database).pathname.slice(1));
  // Each in its own query: several statements in one query would be a transaction, which is not allowed here.
  if (names.length > 0) await ask(url, ...names.map((name) => `DROP DATABASE "${name}" WITH (FORCE)`));
}

async function ask(url: string, ...statements: string[]): Promise<string> {
  return run('psql', ['-XAtq', ...statements.flatMap((statement) => ['-c', statement]), url]);
}
