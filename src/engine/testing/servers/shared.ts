import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { createDatabaseAt, dropDatabasesAt, type PostgresServer, startPostgres } from './postgres.ts';
import { type RabbitCluster, startRabbitCluster } from './rabbitmq.ts';
import { clientsOf, type RabbitClients } from './rabbitmq-clients.ts';

/** Where test files of one run ask for shared servers. Not PISMAK_: that would be a setting of the program. */
const variable = 'SHARED_TEST_SERVERS';

/** Enough connections for several files at once, and settings for many databases that are no longer used. */
const forMany = { max_connections: '500', autovacuum_naptime: '10min' };

/**
 * Starts a server once a test file of this run asks for it, so that many files cost one start: RabbitMQ takes 5 s of a
 * core for each. Sets the variable that child processes find them by. The servers end with this process.
 */
export async function shareServers(): Promise<{ close(): Promise<void> }> {
  const running: { close(): Promise<void> }[] = [];
  const keep = <T extends { close(): Promise<void> }>(server: T): T => {
    running.push(server);
    return server;
  };
  const starts: Record<string, () => Promise<unknown>> = {
    postgres: async () => keep(await startPostgres({ settings: forMany })).url,
    rabbitmq: async () => keep(await startRabbitCluster(1)).access,
  };
  const started = new Map<string, Promise<unknown>>();
  // A secret: guessing the port is not enough.
  const secret = randomBytes(16).toString('hex');
  const server = createServer((request, response) => {
    const [, word, name = ''] = request.url?.split('/') ?? [];
    const start = word === secret ? starts[name] : undefined;
    const asked = started.get(name) ?? start?.() ?? Promise.reject(new Error('There is no such server'));
    if (start) started.set(name, asked);
    asked.then(
      (access) => response.end(JSON.stringify(access)),
      (error: unknown) => response.writeHead(503).end(String(error)),
    );
  });
  server.listen(0, '127.0.0.1').unref();
  await once(server, 'listening');
  const address = server.address();
  process.env[variable] = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/${secret}`;
  const close = async () => {
    // Servers don't keep this process alive, but it must see them end.
    const awake = setInterval(() => {}, 1000);
    server.close();
    await Promise.allSettled(started.values());
    await Promise.all(running.map((one) => one.close()));
    clearInterval(awake);
  };
  let closed: Promise<void> | undefined;
  return {
    close() {
      closed ??= close();
      return closed;
    },
  };
}

/** PostgreSQL for a file that neither stops nor changes the server: the server of the test run, or its own. */
export async function sharedPostgres(): Promise<Pick<PostgresServer, 'createDatabase' | 'close'>> {
  const url = await ask<string>('postgres');
  if (url === undefined) return startPostgres();
  const created: string[] = [];
  return {
    async createDatabase() {
      const database = await createDatabaseAt(url);
      created.push(database);
      return database;
    },
    // A failed test may have left connections, which would keep its process alive: they are cut, as by the server's end.
    close: () => dropDatabasesAt(url, created),
  };
}

/** RabbitMQ of one node for a file that neither stops nor changes the server: the server of the test run, or its own. */
export async function sharedRabbit(): Promise<RabbitClients & Pick<RabbitCluster, 'close'>> {
  const access = await ask<RabbitCluster['access']>('rabbitmq');
  if (access === undefined) return startRabbitCluster(1);
  const clients = clientsOf(access);
  const created: string[] = [];
  return {
    ...clients,
    async createHost() {
      const host = await clients.createHost();
      created.push(host.name);
      return host;
    },
    async close() {
      for (const name of created) await clients.manage('DELETE', `/vhosts/${name}`);
    },
  };
}

/** Undefined without a test run, or when the variable is left from one that is over. */
async function ask<T>(name: string): Promise<T | undefined> {
  const place = process.env[variable];
  if (!place) return undefined;
  const response = await fetch(`${place}/${name}`).catch(() => undefined);
  return response?.ok ? ((await response.json()) as T) : undefined;
}
