import { connect as connectPlain, isIP, type Socket } from 'node:net';
import { connect as connectSecurely, type SecureContextOptions } from 'node:tls';
import type { Clock } from '../../time/clock.ts';
import { Frames, frame } from './frames.ts';
import { JuteReader, JuteWriter } from './jute.ts';
import { errorCodes, type Request, saslToken, ZookeeperError } from './requests.ts';
import { authenticateBySasl } from './sasl.ts';

/** What a session sends so that another server of the ensemble accepts it. */
export interface SessionKey {
  id: bigint;
  password: Buffer;
  timeoutMs: number;
  /** The newest transaction seen. A server that lags behind it refuses us, so time never runs backwards. */
  newest: bigint;
}

/** A request and the promise of its answer. */
export interface Asked {
  readonly request: Request<unknown>;
  resolve(answer: unknown): void;
  reject(reason: unknown): void;
  /** Already sent over a connection that broke. */
  readonly repeated: boolean;
}

/** Confirmed by an answer, it extends the session to a whole timeout after the moment when it began. */
export interface SessionRenewal {
  confirm(): void;
  cancel(): void;
}

export interface ConnectionParts {
  server: { host: string; port: number };
  tls: SecureContextOptions | undefined;
  credentials: string | undefined;
  /** Authenticate by SASL too. */
  sasl: boolean;
  clock: Clock;
  session: SessionKey;
  /** To be called when something is sent that extends the session if it arrives. */
  beginRenewal(): SessionRenewal;
  /** A watched path has changed. */
  onChange(path: string): void;
}

const ids = { notification: -1, ping: -2, authentication: -4 } as const;
const pingType = 11;
const authenticationType = 100;
/** Errors that are not about a request. A server cannot marshal the answer to `multi` for a moved session (seen in 3.8). */
const endOfConnection: number[] = [
  errorCodes.authFailed,
  errorCodes.saslRequired,
  errorCodes.sessionExpired,
  errorCodes.sessionMoved,
  errorCodes.marshalling,
];

/**
 * One connection to one server. It is *connecting* until the server has answered the connect request (and the credentials), then
 * *open*, and *closed* when either side ends it or the server is silent for too long: `closed` then tells which requests have no
 * answer.
 */
export class Connection {
  /** Resolves with the unanswered requests and the reason. */
  readonly closed: Promise<{ unanswered: Asked[]; reason: unknown }>;
  readonly #parts: ConnectionParts;
  readonly #socket: Socket;
  readonly #frames = new Frames();
  readonly #opened = Promise.withResolvers<void>();
  /** Begun by pings that are not answered yet. */
  readonly #renewals: SessionRenewal[] = [];
  #unanswered: Asked[] = [];
  #isOpen = false;
  #received = false;
  #silentTurns = 0;
  #cancelTimer: () => void;
  #nextId = 1;
  #reason: unknown;

  private constructor(parts: ConnectionParts) {
    const { server, tls, clock, session } = parts;
    this.#parts = parts;
    const servername = isIP(server.host) ? {} : { servername: server.host };
    this.#socket = tls ? connectSecurely({ ...tls, ...server, ...servername }) : connectPlain(server);
    this.#socket.setNoDelay();
    this.#cancelTimer = clock.after(session.timeoutMs / 6, () => this.destroy(new Error('No answer')));
    this.#socket.once(tls ? 'secureConnect' : 'connect', () => this.#sendConnectRequest());
    this.#socket.on('data', (chunk) => this.#receive(chunk));
    this.#socket.on('error', (error) => this.destroy(error));
    this.closed = new Promise((resolve) => {
      this.#socket.once('close', () => {
        this.#cancelTimer();
        for (const renewal of this.#renewals) renewal.cancel();
        this.#reason ??= new Error('The server closed the connection');
        this.#opened.reject(this.#reason);
        resolve({ unanswered: this.#unanswered, reason: this.#reason });
      });
    });
  }

  /** Rejects if the server does not answer, or with code `sessionExpired` or `authFailed`. Updates the session. */
  static async open(parts: ConnectionParts): Promise<Connection> {
    const connection = new Connection(parts);
    await connection.#opened.promise;
    return connection;
  }

  send(asked: Asked): void {
    this.#unanswered.push(asked);
    this.#write(this.#nextId++, asked.request.type, asked.request.body);
  }

  destroy(reason: unknown): void {
    this.#reason ??= reason;
    this.#socket.destroy();
  }

  #sendConnectRequest(): void {
    const { session } = this.#parts;
    this.#renewals.push(this.#parts.beginRenewal());
    const request = new JuteWriter().int(0).long(session.newest).int(session.timeoutMs).long(session.id);
    this.#socket.write(frame(request.bytes(session.password).boolean(false).finish()));
  }

  #write(id: number, type: number, body: Buffer): void {
    this.#socket.write(frame(new JuteWriter().int(id).int(type).raw(body).finish()));
  }

  #receive(chunk: Buffer): void {
    this.#received = true;
    try {
      for (const message of this.#frames.add(chunk)) {
        if (this.#socket.destroyed) return;
        const reader = new JuteReader(message);
        if (this.#isOpen) this.#take(reader);
        else this.#welcome(reader);
      }
    } catch (error) {
      this.destroy(error);
    }
  }

  #welcome(reader: JuteReader): void {
    const { session, credentials, sasl } = this.#parts;
    reader.int();
    const timeoutMs = reader.int();
    if (timeoutMs <= 0) throw new ZookeeperError(errorCodes.sessionExpired);
    session.timeoutMs = timeoutMs;
    session.id = reader.long();
    session.password = Buffer.from(reader.bytes());
    this.#isOpen = true;
    this.#renewals.shift()?.confirm();
    // Not together with the greeting: a server may answer this first, which would read as a refusal of the session.
    if (credentials !== undefined) {
      const body = new JuteWriter().int(0).text('digest').text(credentials).finish();
      this.#write(ids.authentication, authenticationType, body);
    }
    // A server that demands SASL answers nothing else before, not even a ping.
    const isDone =
      credentials !== undefined && sasl
        ? authenticateBySasl(credentials, (token) => this.#exchange(token))
        : Promise.resolve();
    isDone.then(
      () => this.#begin(),
      (error: unknown) => this.destroy(error),
    );
  }

  #begin(): void {
    if (this.#socket.destroyed) return;
    this.#cancelTimer();
    // Its answer opens the connection: a server that demands more than we gave refuses it.
    this.#keepAlive();
  }

  #exchange(token: Buffer): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      const request = saslToken(token);
      this.send({ request, resolve: resolve as (answer: unknown) => void, reject, repeated: false });
    });
  }

  #take(reader: JuteReader): void {
    const id = reader.int();
    const zxid = reader.long();
    const code = reader.int();
    if (endOfConnection.includes(code)) {
      this.destroy(new ZookeeperError(code));
    } else if (id === ids.ping) {
      this.#renewals.shift()?.confirm();
      this.#opened.resolve();
    } else if (id === ids.notification) {
      reader.skip(2 * 4);
      this.#parts.onChange(reader.text());
    } else if (id !== ids.authentication) {
      if (zxid > this.#parts.session.newest) this.#parts.session.newest = zxid;
      this.#answer(code, reader);
    }
  }

  #answer(code: number, reader: JuteReader): void {
    const asked = this.#unanswered.shift();
    if (!asked) throw new RangeError('The server sent an answer without a request');
    try {
      if (code !== 0) throw new ZookeeperError(code, { repeated: asked.repeated });
      asked.resolve(asked.request.decode(reader));
    } catch (error) {
      asked.reject(error);
    }
  }

  /** A hung server keeps its connections: only silence reveals it. Half of the timeout is left to find another. */
  #keepAlive(): void {
    const { clock, session } = this.#parts;
    this.#renewals.push(this.#parts.beginRenewal());
    this.#write(ids.ping, pingType, Buffer.alloc(0));
    this.#cancelTimer = clock.after(session.timeoutMs / 6, () => {
      // If this process hung instead, the answer waits in the socket: read that first.
      setImmediate(() => {
        if (this.#socket.destroyed) return;
        this.#silentTurns = this.#received ? 0 : this.#silentTurns + 1;
        this.#received = false;
        if (this.#silentTurns < 2) this.#keepAlive();
        else this.destroy(new Error('The server does not answer'));
      });
    });
  }
}
