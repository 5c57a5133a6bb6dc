import { buildConnector, type Dispatcher, Pool } from 'undici';
import { longestHead, type Received } from './answer-reader.ts';
import { FetchFailure, failureOf } from './fetch-failure.ts';

export interface SecureOptions {
  origin: string;
  host: string;
  address: string;
  /** Sent with every request. */
  headers: Readonly<Record<string, string>>;
  connections: number;
  timeoutMs: number;
  connectMs: number;
}

/**
 * Errors of requests on a connection that the server closes. HTTP/2 servers do so after some number of requests, and the end of the
 * last answers may be lost.
 */
const lostCodes = new Set(['UND_ERR_SOCKET', 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH', 'ECONNRESET', 'EPIPE']);

/** Requests over TLS to one server, by HTTP/2 if it speaks that. */
export class SecureHttp {
  readonly #pool: Pool;
  readonly #options: SecureOptions;
  #hasAnswered = false;

  constructor(options: SecureOptions) {
    const { origin, host, address, connections, timeoutMs, connectMs } = options;
    const connector = buildConnector({ timeout: connectMs, allowH2: true });
    this.#options = options;
    this.#pool = new Pool(origin, {
      connections,
      pipelining: 1,
      allowH2: true,
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
      maxHeaderSize: longestHead,
      connect: (parameters, callback) =>
        connector({ ...parameters, hostname: address, servername: parameters.servername || host }, callback),
    });
  }

  get(path: string, headers: Readonly<Record<string, string>>, limitBytes: number): Promise<Received> {
    const { timeoutMs, headers: fixed } = this.#options;
    return new Promise((resolve, reject) => {
      // A connection that has carried an answer may be closed by the server at any time.
      const mayBeIdle = this.#hasAnswered;
      const answered = (received: Received) => {
        this.#hasAnswered = true;
        resolve(received);
      };
      const receiver = new Receiver({ timeoutMs, limitBytes, mayBeIdle }, answered, reject);
      try {
        this.#pool.dispatch({ path, method: 'GET', headers: { ...headers, ...fixed } }, receiver);
      } catch (error) {
        receiver.fail(error);
      }
    });
  }

  close(): Promise<void> {
    return this.#pool.destroy();
  }
}

/** Collects an answer. A stream for each body would take more time than all the rest of a request. */
class Receiver implements Dispatcher.DispatchHandler {
  readonly #limitBytes: number;
  readonly #mayBeIdle: boolean;
  readonly #resolve: (received: Received) => void;
  readonly #reject: (failure: FetchFailure) => void;
  readonly #timer: NodeJS.Timeout;
  #controller: Dispatcher.DispatchController | undefined;
  #received: Received | undefined;
  #size = 0;
  #isOver = false;

  constructor(
    { timeoutMs, limitBytes, mayBeIdle }: { timeoutMs: number; limitBytes: number; mayBeIdle: boolean },
    resolve: (received: Received) => void,
    reject: (failure: FetchFailure) => void,
  ) {
    this.#limitBytes = limitBytes;
    this.#mayBeIdle = mayBeIdle;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#timer = setTimeout(() => {
      this.fail(new FetchFailure('timeout', { isTemporary: true }));
      this.#controller?.abort(new Error('timeout'));
    }, timeoutMs);
  }

  fail(error: unknown): void {
    if (!this.#end()) return;
    const { code = '' } = error as { code?: string };
    const lost = { isTemporary: true, wasIdle: this.#mayBeIdle, cause: error };
    this.#reject(lostCodes.has(code) ? new FetchFailure('connection lost', lost) : failureOf(error));
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

/** Pairs of names and values, from a flat list (HTTP/1.1) or from an object (HTTP/2). */
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
