import { connect, type Socket } from 'node:net';
import { AnswerReader, type Received } from './answer-reader.ts';
import { FetchFailure, failureOf } from './fetch-failure.ts';

export interface PlainOptions {
  address: string;
  port: number;
  /** For the header `Host`. */
  authority: string;
  /** Sent with every request. */
  headers: Readonly<Record<string, string>>;
  connections: number;
  timeoutMs: number;
  connectMs: number;
}

/** How long an idle connection is kept open, unless the server names a time; then a little less than that. */
const idleMs = 4_000;
const idleMarginMs = 2_000;
const longestIdleMs = 600_000;
const sweepMs = 1_000;

/** A request under way or waiting. */
interface Exchange {
  text: string;
  reader: AnswerReader;
  timer: NodeJS.Timeout;
  resolve(received: Received): void;
  reject(failure: FetchFailure): void;
  line?: Line;
}

/**
 * Requests over HTTP/1.1 without TLS to one server, one after another on each of a few connections. A general client takes three times as
 * long for a small page, and most of the cost of fetching is that.
 *
 * An exchange *waits* until a connection is free, is *under way* on it, and ends with an answer or a failure, at the latest when its time is up.
 * A connection is opened for an exchange, is *idle* after a complete answer that keeps it alive, and is closed by any failure, by the server, or
 * after some idle time.
 */
export class PlainHttp {
  readonly #options: PlainOptions;
  readonly #fixed: string;
  readonly #lines = new Set<Line>();
  readonly #idle: Line[] = [];
  readonly #waiting: Exchange[] = [];
  readonly #sweeper: NodeJS.Timeout;

  constructor(options: PlainOptions) {
    this.#options = options;
    this.#fixed = `host: ${options.authority}\r\nconnection: keep-alive\r\n${linesOf(options.headers)}`;
    this.#sweeper = setInterval(() => this.#sweep(), sweepMs).unref();
  }

  get(path: string, headers: Readonly<Record<string, string>>, limit: number): Promise<Received> {
    return new Promise((resolve, reject) => {
      if (!/^\/[\x21-\x7e\x80-\xff]*$/.test(path))
        return void reject(new FetchFailure('broken address', { isTemporary: false }));
      const text = `GET ${path} HTTP/1.1\r\n${this.#fixed}${linesOf(headers)}\r\n`;
      const timer = setTimeout(() => this.#giveUp(exchange), this.#options.timeoutMs);
      const exchange: Exchange = { text, reader: new AnswerReader(limit), timer, resolve, reject };
      this.#waiting.push(exchange);
      this.#next();
    });
  }

  close(): void {
    clearInterval(this.#sweeper);
    const closed = new FetchFailure('connection lost', { isTemporary: true });
    for (const exchange of this.#waiting.splice(0)) fail(exchange, closed);
    for (const line of [...this.#lines]) line.end(closed);
  }

  #next(): void {
    while (this.#waiting.length > 0) {
      const line = this.#idle.pop() ?? this.#open();
      if (!line) return;
      line.ask(this.#waiting.shift() as Exchange);
    }
  }

  #open(): Line | undefined {
    if (this.#lines.size >= this.#options.connections) return undefined;
    const line = new Line(this.#options, {
      isFree: () => {
        this.#idle.push(line);
        this.#next();
      },
      isOver: (failure) => {
        this.#lines.delete(line);
        // The other idle connections are as old or older.
        if (failure?.wasIdle) for (const other of [...this.#idle]) other.end();
        const index = this.#idle.indexOf(line);
        if (index >= 0) this.#idle.splice(index, 1);
        this.#next();
      },
    });
    this.#lines.add(line);
    return line;
  }

  #giveUp(exchange: Exchange): void {
    const timeout = new FetchFailure('timeout', { isTemporary: true });
    if (exchange.line) return void exchange.line.end(timeout);
    this.#waiting.splice(this.#waiting.indexOf(exchange), 1);
    fail(exchange, timeout);
  }

  #sweep(): void {
    const now = performance.now();
    for (const line of this.#idle.filter(({ idleUntil }) => idleUntil < now)) line.end();
  }
}

/** One buffer for all connections of this thread: each read is processed before the next one. */
const buffer = Buffer.allocUnsafeSlow(64 * 1024);

interface LineEvents {
  isFree(): void;
  isOver(failure?: FetchFailure): void;
}

/** One connection. */
class Line {
  readonly #socket: Socket;
  readonly #told: LineEvents;
  readonly #connecting: NodeJS.Timeout;
  #exchange: Exchange | undefined;
  /** It has carried an answer, and has received nothing since. */
  #wasIdle = false;
  #isOver = false;
  idleUntil = 0;

  constructor({ address, port, connectMs }: PlainOptions, told: LineEvents) {
    this.#told = told;
    const onread = {
      buffer,
      callback: (length: number) => {
        this.#read(buffer.subarray(0, length));
        return true;
      },
    };
    this.#socket = connect({ host: address, port, noDelay: true, keepAlive: true, onread });
    this.#connecting = setTimeout(
      () => this.end(new FetchFailure('timeout', { isTemporary: true })),
      connectMs,
    );
    this.#socket.once('connect', () => clearTimeout(this.#connecting));
    this.#socket.on('error', (error) => this.#lost(error));
    this.#socket.on('end', () => this.#lost());
    this.#socket.on('close', () => this.#lost());
  }

  ask(exchange: Exchange): void {
    this.#exchange = exchange;
    exchange.line = this;
    this.#socket.write(exchange.text, 'latin1');
  }

  /** Closes the connection; the exchange under way fails. */
  end(failure?: FetchFailure): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#connecting);
    this.#socket.destroy();
    const exchange = this.#exchange;
    this.#exchange = undefined;
    if (exchange) fail(exchange, failure ?? new FetchFailure('connection lost', { isTemporary: true }));
    this.#told.isOver(failure);
  }

  #read(bytes: Buffer): void {
    const exchange = this.#exchange;
    // Unsolicited data.
    if (!exchange) return void this.end();
    this.#wasIdle = false;
    try {
      const received = exchange.reader.take(bytes);
      if (received) this.#answered(exchange, received);
    } catch (error) {
      this.end(failureOf(error));
    }
  }

  #answered({ reader, timer, resolve }: Exchange, received: Received): void {
    clearTimeout(timer);
    this.#exchange = undefined;
    resolve(received);
    const { idleSeconds } = reader;
    const keptMs = idleSeconds === undefined ? idleMs : 1000 * idleSeconds - idleMarginMs;
    if (this.#isOver || !reader.keepsAlive || !(keptMs > 0)) return void this.end();
    this.#wasIdle = true;
    this.idleUntil = performance.now() + Math.min(keptMs, longestIdleMs);
    this.#told.isFree();
  }

  /** The server has closed the connection: some bodies end that way, and some servers reset the connection. */
  #lost(error?: Error): void {
    const exchange = this.#exchange;
    if (this.#isOver || !exchange) return void this.end();
    try {
      const { code = '' } = (error ?? {}) as NodeJS.ErrnoException;
      const isPlainEnd = error === undefined || code === 'ECONNRESET';
      if (this.#wasIdle && (isPlainEnd || code === 'EPIPE'))
        throw new FetchFailure('connection lost', { isTemporary: true, wasIdle: true });
      if (!isPlainEnd) throw error;
      this.#answered(exchange, exchange.reader.end());
    } catch (failure) {
      this.end(failureOf(failure));
    }
  }
}

function fail({ timer, reject }: Exchange, failure: FetchFailure): void {
  clearTimeout(timer);
  reject(failure);
}

function linesOf(headers: Readonly<Record<string, string>>): string {
  let lines = '';
  for (const name in headers) {
    const value = headers[name] as string;
    if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(value))
      throw new FetchFailure('broken header', { isTemporary: false });
    lines += `${name}: ${value}\r\n`;
  }
  return lines;
}
