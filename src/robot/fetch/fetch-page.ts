import { promisify } from 'node:util';
import { brotliDecompress, constants, gunzip, inflate, inflateRaw, zstdDecompress } from 'node:zlib';
import { addressRefusal } from '../politeness/addresses.ts';
import type { Received } from './answer-reader.ts';
import { FetchFailure } from './fetch-failure.ts';
import { PlainHttp } from './plain-http.ts';

/** What a server answered. */
export interface Answer {
  status: number;
  statusText: string;
  /** Names and values as received, in order, for the WARC file. */
  rawHeaders: readonly (readonly [string, string])[];
  headers: Readonly<Record<string, string>>;
  /** As received, still compressed. */
  raw: Buffer;
  body: Buffer;
  /** The body exceeded the limit; the rest was not read. */
  isCut: boolean;
}

export interface Connection {
  get(path: string, headers: Readonly<Record<string, string>>, limitBytes?: number): Promise<Answer>;
  close(): Promise<void>;
}

export interface ConnectOptions {
  timeoutMs: number;
  limitBytes: number;
  connections: number;
  allowPrivate: boolean;
  contact: string;
  /** Sent with every request. */
  headers: Readonly<Record<string, string>>;
}

/** How many times larger than the limit a decompressed page may be, so that a bomb of a few kilobytes does not fill the memory. */
const largestGrowth = 20;
const largestGrown = 100_000_000;
const connectMs = 10_000;

/** Connects to an origin at exactly this address, even if the DNS has changed. */
export function connectTo(
  { origin, host, address }: { origin: string; host: string; address: string },
  options: ConnectOptions,
): Connection {
  const refusal = addressRefusal(address, options);
  if (refusal !== undefined) throw new FetchFailure(refusal, { isTemporary: false });
  const { timeoutMs, limitBytes } = options;
  const limits = { timeoutMs, connectMs: Math.min(connectMs, timeoutMs) };
  const { protocol, port, host: authority } = new URL(origin);
  if (protocol === 'http:') {
    const plain = new PlainHttp({ ...options, ...limits, address, port: Number(port || 80), authority });
    return {
      get: async (path, headers, limit = limitBytes) =>
        answerOf(await plain.get(path, headers, limit), limit),
      close: async () => plain.close(),
    };
  }
  // Loaded on use: a crawl of servers without TLS never needs undici.
  const secure = import('./secure-http.ts').then(
    ({ SecureHttp }) => new SecureHttp({ ...options, ...limits, origin, host, address }),
  );
  return {
    get: async (path, headers, limit = limitBytes) =>
      answerOf(await (await secure).get(path, headers, limit), limit),
    close: async () => (await secure).close(),
  };
}

async function answerOf(received: Received, limitBytes: number): Promise<Answer> {
  const { status, statusText, rawHeaders, chunks, isCut } = received;
  const headers: Record<string, string> = {};
  for (const [name, value] of rawHeaders) headers[name.toLowerCase()] ??= value;
  const [only] = chunks;
  const raw = (chunks.length === 1 && only ? only : Buffer.concat(chunks)).subarray(0, limitBytes);
  const encoding = headers['content-encoding'];
  const body = encoding === undefined ? raw : await decode(raw, encoding, { limitBytes, isCut });
  return { status, statusText, rawHeaders, headers, raw, body, isCut };
}

const { Z_SYNC_FLUSH, BROTLI_OPERATION_FLUSH, ZSTD_e_flush } = constants;

/** A decoder for each encoding, and the flag that makes it return what it can of a body that was cut off. */
const decoders = new Map<string, { decode: Decode; ofPart: number }>([
  ['gzip', { decode: promisify(gunzip), ofPart: Z_SYNC_FLUSH }],
  ['x-gzip', { decode: promisify(gunzip), ofPart: Z_SYNC_FLUSH }],
  ['br', { decode: promisify(brotliDecompress), ofPart: BROTLI_OPERATION_FLUSH }],
  ['zstd', { decode: promisify(zstdDecompress), ofPart: ZSTD_e_flush }],
  ['deflate', { decode: inflateAny, ofPart: Z_SYNC_FLUSH }],
]);
type Decode = (body: Buffer, options: { maxOutputLength: number; finishFlush?: number }) => Promise<Buffer>;

/** Some servers omit the zlib header of `deflate`. */
async function inflateAny(...[body, options]: Parameters<Decode>): Promise<Buffer> {
  const hasHeader = ((body[0] ?? 0) & 0x0f) === 8 && body.length > 1 && body.readUInt16BE() % 31 === 0;
  return promisify(hasHeader ? inflate : inflateRaw)(body, options);
}

/** Decodes the body, the last encoding first. */
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
  const maxOutputLength = Math.max(limitBytes, Math.min(largestGrowth * limitBytes, largestGrown));
  let body = raw;
  for (const name of names.reverse()) {
    const decoder = decoders.get(name);
    if (!decoder) throw new FetchFailure('unknown encoding', { isTemporary: false });
    try {
      body = await decoder.decode(body, { maxOutputLength, ...(isCut && { finishFlush: decoder.ofPart }) });
    } catch (error) {
      const isTooLarge = (error as { code?: string }).code === 'ERR_BUFFER_TOO_LARGE';
      throw new FetchFailure(isTooLarge ? 'too large' : 'broken encoding', {
        isTemporary: false,
        cause: error,
      });
    }
  }
  return body;
}
