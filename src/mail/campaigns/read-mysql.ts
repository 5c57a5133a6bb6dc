import { readFile } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import type { Connection, ConnectionOptions } from 'mysql2';
import { messageOf, PismakError } from '../../engine/ground/errors.ts';
import { masked } from '../smtp/server-url.ts';
import type { Person } from './read-audience.ts';

const rowsAtOnce = 1000;
const modes = ['DISABLED', 'REQUIRED', 'VERIFY_IDENTITY'] as const;

/** A consistent snapshot. The server waits ten minutes for a reader that is busy storing rows. */
const before = [
  'SET SESSION net_write_timeout = 600',
  'START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY',
];

/**
 * Streams a query of a foreign MySQL or MariaDB in a read-only transaction. Rows are fetched as they are needed, with
 * backpressure.
 */
export async function* readMysql({ url, query }: { url: string; query: string }): AsyncGenerator<Person> {
  const { createConnection } = await import('mysql2');
  const connection = createConnection(await optionsOf(url));
  let rows: Readable | undefined;
  // The driver reports a broken connection to the connection only, not to the stream of rows.
  connection.on('error', (error) => rows?.destroy(error));
  try {
    for (const statement of before) await execute(connection, statement);
    // As a subquery it can only be a SELECT. DROP TABLE would commit the transaction and run.
    const selected = `SELECT * FROM (\n${query}\n) AS audience`;
    rows = connection.query(selected).stream({ highWaterMark: rowsAtOnce });
    yield* rows;
  } catch (error) {
    throw mysqlError(error, url);
  } finally {
    // Skips the remaining rows if only the first ones were wanted.
    connection.destroy();
  }
}

function execute(connection: Connection, statement: string): Promise<void> {
  return new Promise((resolve, reject) =>
    connection.query(statement, (error) => (error ? reject(error) : resolve())),
  );
}

/** `mysql://user:password@host:3306/database?ssl-mode=VERIFY_IDENTITY&ssl-ca=/etc/ssl/shop.pem` */
async function optionsOf(text: string): Promise<ConnectionOptions> {
  const url = new URL(text);
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const isLocal = host === 'localhost' || host === '::1' || host.startsWith('127.');
  const mode = url.searchParams.get('ssl-mode') ?? (isLocal ? 'DISABLED' : 'VERIFY_IDENTITY');
  if (!modes.some((one) => one === mode))
    throw new PismakError('configuration-invalid', `ssl-mode=${mode} must be one of ${modes.join(', ')}`);
  const authority = url.searchParams.get('ssl-ca');
  return {
    host,
    port: Number(url.port || 3306),
    database: decodeURIComponent(url.pathname.slice(1)),
    user: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
    charset: 'utf8mb4',
    connectTimeout: 10_000,
    enableKeepAlive: true,
    keepAliveInitialDelay: 10_000,
    // Values must survive JSON, and nothing from the server is evaluated.
    dateStrings: true,
    supportBigNumbers: true,
    disableEval: true,
    ...(mode !== 'DISABLED' && {
      ssl: {
        rejectUnauthorized: mode === 'VERIFY_IDENTITY',
        // TLS accepts a name here, but no IP address.
        verifyIdentity: mode === 'VERIFY_IDENTITY',
        ...(authority !== null && { ca: await readFile(authority, 'utf8') }),
      },
    }),
  };
}

/** Errors that the server reports about the query are permanent; others may pass. */
function mysqlError(error: unknown, url: string): PismakError {
  if (error instanceof PismakError) return error;
  const { errno = 0, sqlState = '' } = error as { errno?: number; sqlState?: string };
  const cause = { cause: error };
  const place = `the audience at ${masked(url)}`;
  const isRefused = errno === 1044 || errno === 1045 || errno === 1049;
  if (isRefused)
    return new PismakError('configuration-invalid', `${place} can't be used: ${messageOf(error)}`, cause);
  // 42: unknown names and syntax errors; 25006: an attempt to write.
  if (/^(42|21|22|25006)/.test(sqlState))
    return new PismakError('invalid-input', `${place} refuses the query: ${messageOf(error)}`, cause);
  return new PismakError('unavailable', `${place} is away: ${messageOf(error)}`, cause);
}
