import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate, inflateRaw, zstdDecompress } from 'node:zlib';
import { buildConnector, type Dispatcher, Pool } from 'undici';
import { isPublicAddress } from '../politeness/addresses.ts';

/** What a server answered. */
export interface Answer {
  status: number;
  statusText: string;
  /** Names and values as they came, in order: what a WARC file keeps. */
  rawHeaders: readonly (readonly [string, string])[];
  headers: Readonly<Record<string, string>>;
  /** As it came, still compressed. */
  raw: Buffer;
  body: Buffer;
  /** Longer than allowed; the rest was not read. */
  isCut: boolean;
}

/** A request that got no usable answer. */
export class FetchFailure extends Error {
  readonly kind: string;
  /** Whether another attempt may succeed. */
  readonly isTemporary: boolean;

  constructor(kind: string, { isTemporary, cause }: { isTemporary: boolean; cause?: unknown }) {
    super(kind, { cause });
    this.kind = kind;
    this.isTemporary = isTemporary;
  }
}

export interface Connection {
  get(path: string, headers: Record<string, string>, limitBytes?: number): Promise<Answer>;
  close(): Promise<void>;
}

/** Compressed pages may grow this much, so that a bomb of a few kilobytes does not fill the memory. */
const largestGrowth = 20;
const connectMs = 10_000;

/** A connection to an origin at exactly this address, whatever the DNS says meanwhile. */
export function connectTo(
  { origin, host, address }: { origin: string; host: string; address: string },
  options: { timeoutMs: number; limitBytes: number; connections: number; allowPrivate: boolean },
): Connection {
  if (!options.allowPrivate && !isPublicAddress(address))
    throw new FetchFailure('private address', { isTemporary: false });
  const { timeoutMs, limitBytes } = options;
  const connector = buildConnector({ timeout: Math.min(connectMs, timeoutMs), allowH2: true });
  const pool = new Pool(origin, {
    connections: options.connections,
    pipelining: 1,
    allowH2: true,
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    maxHeaderSize: 64 * 1024,
    connect: (parameters, callback) =>
      connector({ ...parameters, hostname: address, servername: parameters.servername || host }, callback),
  });
  return {
    get: (path, headers, limit = limitBytes) =>
      getPage(pool, path, headers, { timeoutMs, limitBytes: limit }),
    close: () => pool.destroy(),
  };
}

async function getPage(
  pool: Pool,
  path: string,
  headers: Record<string, string>,
  limits: { timeoutMs: number; limitBytes: number },
): Promise<Answer> {
  const received = await new Promise<Received>((resolve, reject) => {
    const receiver = new Receiver(limits, resolve, reject);
    try {
      pool.dispatch({ path, method: 'GET', headers }, receiver);
    } catch (error) {
      receiver.fail(error);
    }
  });
  const { rawHeaders, chunks, isCut } = received;
  const { limitBytes } = limits;
  const byName: Record<string, string> = {};
  for (const [name, value] of rawHeaders) byName[name.toLowerCase()] ??= value;
  const [only] = chunks;
  const raw = (chunks.length === 1 && only ? only : Buffer.concat(chunks)).subarray(0, limitBytes);
  const encoding = byName['content-encoding'];
  const body = encoding === undefined ? raw : await decode(raw, encoding, { limitBytes, isCut });
  const { status, statusText } = received;
  return { status, statusText, rawHeaders, headers: byName, raw, body, isCut };
}

interface Received {
  status: number;
  statusText: string;
  rawHeaders: [string, string][];
  chunks: Buffer[];
  isCut: boolean;
}

/** Takes an answer as it comes. A stream for each body would take more time than all the rest of a request. */
class Receiver implements Dispatcher.DispatchHandler {
  readonly #limitBytes: number;
  readonly #resolve: (received: Received) => void;
  readonly #reject: (failure: FetchFailure) => void;
  readonly #timer: NodeJS.Timeout;
  #controller: Dispatcher.DispatchController | undefined;
  #received: Received | undefined;
  #size = 0;
  #isOver = false;

  constructor(
    { timeoutMs, limitBytes }: { timeoutMs: number; limitBytes: number },
    resolve: (received: Received) => void,
    reject: (failure: FetchFailure) => void,
  ) {
    this.#limitBytes = limitBytes;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#timer = setTimeout(() => {
      this.fail(new FetchFailure('timeout', { isTemporary: true }));
      this.#controller?.abort(new Error('timeout'));
    }, timeoutMs);
  }

  fail(error: unknown): void {
    if (this.#end()) this.#reject(failureOf(error));
  }

  #end(): boolean {
    if (this.#isOver) return false;
    this.#isOver = true;
    clearTimeout(this.#timer);
    return true;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#isOver) controller.abort(new Error('timeout'));
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    _headers: unknown,
    statusText = '',
  ): void {
    if (status < 200) return;
    const rawHeaders = pairsOf(controller.rawHeaders ?? []);
    this.#received = { status, statusText, rawHeaders, chunks: [], isCut: false };
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    const received = this.#received;
    if (!received) return;
    received.chunks.push(chunk);
    this.#size += chunk.length;
    if (this.#size <= this.#limitBytes) return;
    received.isCut = true;
    if (this.#end()) this.#resolve(received);
    controller.abort(new Error('too long'));
  }

  onResponseEnd(): void {
    if (this.#received && this.#end()) this.#resolve(this.#received);
  }

  onResponseError(_controller: unknown, error: Error): void {
    this.fail(error);
  }
}

/** Names and values in turn, as HTTP/1.1 brings them; or by name, as HTTP/2 does. */
function pairsOf(flat: NonNullable<Dispatcher.DispatchController['rawHeaders']>): [string, string][] {
  if (!Array.isArray(flat))
    return Object.entries(flat).flatMap(([name, values]) =>
      [values ?? []].flat().map((value): [string, string] => [name, value]),
    );
  const pairs: [string, string][] = [];
  for (let index = 0; index + 1 < flat.length; index += 2)
    pairs.push([textOf(flat[index]), textOf(flat[index + 1])]);
  return pairs;
}

function textOf(value: string | Buffer | undefined): string {
  return typeof value === 'string' ? value : (value?.toString('latin1') ?? '');
}

const decoders = {
  gzip: promisify(gunzip),
  'x-gzip': promisify(gunzip),
  br: promisify(brotliDecompress),
  zstd: promisify(zstdDecompress),
  deflate: promisify(inflate),
} as const;

/** Removes the encodings, the last one first. What was cut gives as much as can be had. */
async function decode(
  raw: Buffer,
  encoding: string,
  { limitBytes, isCut }: { limitBytes: number; isCut: boolean },
): Promise<Buffer> {
  const names = encoding
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== 'identity');
  if (names.length > 3) throw new FetchFailure('broken encoding', { isTemporary: false });
  let body = raw;
  for (const name of names.reverse()) {
    const decoder = decoders[name as keyof typeof decoders];
    if (!decoder) throw new FetchFailure('unknown encoding', { isTemporary: false });
    const maxOutputLength = largestGrowth * limitBytes;
    try {
      body = await (isCut ? decodePart(name, body, maxOutputLength) : decoder(body, { maxOutputLength }));
    } catch (error) {
      if ((error as { code?: string }).code === 'ERR_BUFFER_TOO_LARGE')
        throw new FetchFailure('too large', { isTemporary: false, cause: error });
      if (name === 'deflate')
        body = await promisify(inflateRaw)(body, { maxOutputLength }).catch(() => {
          throw new FetchFailure('broken encoding', { isTemporary: false, cause: error });
        });
      else throw new FetchFailure('broken encoding', { isTemporary: false, cause: error });
    }
  }
  return body;
}

async function decodePart(name: string, body: Buffer, maxOutputLength: number): Promise<Buffer> {
  const { constants } = await import('node:zlib');
  if (name === 'gzip' || name === 'x-gzip')
    return promisify(gunzip)(body, { maxOutputLength, finishFlush: constants.Z_SYNC_FLUSH });
  throw new FetchFailure('too large', { isTemporary: false });
}

const permanent = new Set([
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'CERT_HAS_EXPIRED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
]);

function failureOf(error: unknown): FetchFailure {
  if (error instanceof FetchFailure) return error;
  const code = (error as { code?: string }).code ?? '';
  if (/TIMEOUT/.test(code)) return new FetchFailure('timeout', { isTemporary: true, cause: error });
  if (code === 'ECONNREFUSED') return new FetchFailure('refused', { isTemporary: true, cause: error });
  if (/CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO/.test(code))
    return new FetchFailure('certificate', { isTemporary: !permanent.has(code), cause: error });
  if (/HPE_|CONTENT_LENGTH|ERR_HEADERS|PARSER/.test(code))
    return new FetchFailure('broken answer', { isTemporary: false, cause: error });
  return new FetchFailure('connection lost', { isTemporary: true, cause: error });
}
