import { randomUUID } from 'node:crypto';
import http from 'node:http';
import https from 'node:https';
import { buffer } from 'node:stream/consumers';
import type { ClickHousePlace } from './parse-url.ts';

export interface Ask {
  sql: string;
  /** Rows to insert: RowBinary after the SQL. */
  rows?: Uint8Array | undefined;
  /** Numbers (UInt32) that the SQL knows as the table `kept`. */
  kept?: Uint32Array | undefined;
  settings?: Readonly<Record<string, string | number>>;
  signal?: AbortSignal | undefined;
  timeoutMs?: number;
}

/** One server of ClickHouse, over HTTP. */
export interface ClickHouseServer {
  readonly address: string;
  /** The answer as a whole; fails with `ClickHouseError` if the server refuses. */
  ask(ask: Ask): Promise<Buffer>;
}

/** What the server said. Codes: https://clickhouse.com, `ErrorCodes.cpp`. */
export class ClickHouseError extends Error {
  readonly code: number;

  constructor(address: string, text: string) {
    super(`ClickHouse at ${address}: ${text.trim().slice(0, 500)}`);
    this.code = Number(/^Code: (\d+)/.exec(text)?.[1] ?? 0);
  }
}

const usualTimeoutMs = 20_000;
/** Our statements contain long lists. */
const mostSqlBytes = 16 * 2 ** 20;

export function clickHouseServer(address: string, place: ClickHousePlace): ClickHouseServer {
  const { user, password, tls } = place;
  const agent = tls
    ? new https.Agent({ keepAlive: true, ...(tls.ca !== undefined && { ca: tls.ca }) })
    : new http.Agent({ keepAlive: true });
  const [, hostname = '', port = ''] = /^(.*):(\d+)$/.exec(address) ?? [];
  const server: ClickHouseServer = {
    address,
    async ask({ sql, rows, kept, settings, signal, timeoutMs = usualTimeoutMs }) {
      const id = randomUUID();
      const query = new URLSearchParams({
        query_id: id,
        // Nobody waits for the answer after that.
        ...(sql.startsWith('SELECT') && { max_execution_time: String(Math.ceil(timeoutMs / 1000)) }),
        // The status tells whether all went well only if the server waits for the end.
        wait_end_of_query: '1',
        max_query_size: String(mostSqlBytes),
        ...Object.fromEntries(Object.entries(settings ?? {}).map(([name, value]) => [name, String(value)])),
        ...(kept && { query: sql, kept_structure: 'entity UInt32', kept_format: 'RowBinary' }),
        ...(rows && { query: sql }),
      });
      const { type, body } = kept ? multipart(kept) : { type: 'text/plain', body: rows ?? Buffer.from(sql) };
      const answer = send({
        agent,
        hostname,
        port,
        path: `/?${query}`,
        secure: tls !== undefined,
        body,
        timeoutMs,
        signal,
        headers: {
          'content-type': type,
          'content-length': body.byteLength,
          'x-clickhouse-user': user,
          'x-clickhouse-key': password,
        },
      });
      const { status, content } = await answer.catch((error: unknown) => {
        // Otherwise the server would go on with the query.
        if (signal?.aborted) server.ask({ sql: `KILL QUERY WHERE query_id = '${id}' ASYNC` }).catch(() => {});
        throw error;
      });
      if (status !== 200) throw new ClickHouseError(address, content.toString());
      return content;
    },
  };
  return server;
}

async function send(request: {
  agent: http.Agent;
  hostname: string;
  port: string;
  path: string;
  secure: boolean;
  headers: http.OutgoingHttpHeaders;
  body: Uint8Array;
  timeoutMs: number;
  signal: AbortSignal | undefined;
}): Promise<{ status: number | undefined; content: Buffer }> {
  const { secure, body, timeoutMs, signal, ...options } = request;
  const late = AbortSignal.timeout(timeoutMs);
  const ended = signal ? AbortSignal.any([signal, late]) : late;
  const answer = await new Promise<http.IncomingMessage>((resolve, reject) => {
    const sent = (secure ? https : http).request({ ...options, method: 'POST', signal: ended }, resolve);
    sent.on('error', reject).end(body);
  });
  return { status: answer.statusCode, content: await buffer(answer) };
}

const boundary = 'pismak-kept-entities';

/** An external table: a file of the form that carries the query. */
function multipart(kept: Uint32Array): { type: string; body: Buffer } {
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="kept"; filename="kept"\r\n\r\n`;
  const bytes = Buffer.from(kept.buffer, kept.byteOffset, kept.byteLength);
  const body = Buffer.concat([Buffer.from(head), bytes, Buffer.from(`\r\n--${boundary}--\r\n`)]);
  return { type: `multipart/form-data; boundary=${boundary}`, body };
}
