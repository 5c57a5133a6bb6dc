import type { Duplex } from 'node:stream';
import type pg from 'pg';
import { PismakError } from '../../ground/errors.ts';
import { type Clock, systemClock } from '../../time/clock.ts';
import type { PostgresAddress, PostgresHost } from './address.ts';

export type PgModule = typeof pg;

/** A server that does not answer within this time counts as gone. */
export const answerTimeoutMs = 3000;

/** Our commits must be durable, whatever the server's defaults. Stronger settings are left alone. */
export const durableCommits = `SELECT set_config('synchronous_commit', 'on', false)
  WHERE current_setting('synchronous_commit') = 'off'`;

/** Loaded on use: the embedded tier doesn't need the driver. */
export async function loadPg(): Promise<PgModule> {
  try {
    return (await import('pg')).default;
  } catch (error) {
    throw new PismakError('configuration-invalid', 'The package pg is missing. Run npm install pg.', {
      cause: error,
    });
  }
}

/** The driver's options for one server. */
export function clientOptions(
  pgModule: PgModule,
  address: PostgresAddress,
  host: PostgresHost,
): pg.ClientConfig {
  return {
    ...host,
    user: address.user,
    password: address.password,
    database: address.database,
    application_name: address.applicationName,
    ssl: address.tls,
    connectionTimeoutMillis: answerTimeoutMs,
    // Both sides notice a vanished peer within half a minute.
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    options: '-c tcp_keepalives_idle=10 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=3',
    types: { getTypeParser: (oid, format) => parserOf(pgModule.types, oid, format) },
  };
}

/**
 * A client whose goodbye to a hung server does not keep the connection, and with it this process, open for ever. `onError` is told
 * the SQLSTATE of each error of the server.
 */
export function clientThatEnds(
  pgModule: PgModule,
  clock: Clock = systemClock,
  onError?: (state: string | undefined) => void,
): typeof pg.Client {
  return class extends pgModule.Client {
    constructor(...options: ConstructorParameters<typeof pg.Client>) {
      super(...options);
      connectionOf(this).on('errorMessage', ({ code }) => onError?.(code));
    }

    override end(...done: [((error: Error) => void)?]) {
      this.once(
        'end',
        clock.after(answerTimeoutMs, () => cutConnection(this)),
      );
      return super.end(...(done as []));
    }
  };
}

/** Cuts a connection without notifying the server. The driver has no method for it. */
export function cutConnection(client: pg.ClientBase): void {
  streamOf(client).destroy();
}

/** The server's process behind a connection, for cancellations. The driver's types don't list it. */
export function serverProcess(client: pg.ClientBase): number {
  return (client as unknown as { processID: number }).processID;
}

/** Everything that `send` asks goes out in one write, so that neither side wakes up for each statement. */
export function inOneWrite<T>(client: pg.ClientBase, send: () => T): T {
  const stream = streamOf(client);
  stream.cork();
  try {
    return send();
  } finally {
    stream.uncork();
  }
}

function streamOf(client: pg.ClientBase): Duplex {
  return connectionOf(client).stream;
}

/** The driver's types don't list it. */
function connectionOf(client: pg.ClientBase) {
  const { connection } = client as unknown as {
    connection: { stream: Duplex; on(event: 'errorMessage', told: (error: { code?: string }) => void): void };
  };
  return connection;
}

/** Returns the types that SQLite returns: numbers (int8, and numeric from SUM), and Uint8Array for bytes. */
function parserOf(
  types: typeof pg.types,
  oid: number,
  format: 'text' | 'binary' = 'text',
): (text: string) => unknown {
  if (format === 'text' && (oid === 20 || oid === 1700)) return Number;
  const parser = types.getTypeParser(oid, format as 'text') as (text: string) => unknown;
  return oid === 17 ? (text) => asBytes(parser(text)) : parser;
}

function asBytes(buffer: unknown): unknown {
  return Buffer.isBuffer(buffer)
    ? new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.byteLength)
    : buffer;
}
