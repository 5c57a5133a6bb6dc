import { hasCode, messageOf, PismakError } from '../../ground/errors.ts';
import type { Random } from '../../ground/identity.ts';
import { type Clock, sleep } from '../../time/clock.ts';
import { endsWithin } from '../../time/deadline.ts';
import type { EnsembleAddress } from './address.ts';
import { type Asked, Connection, type SessionKey, type SessionRenewal } from './connection.ts';
import { closeSession, isRefusal, type Request } from './requests.ts';

export interface ClientParts {
  address: EnsembleAddress;
  clock: Clock;
  random: Random;
  sessionTimeoutMs: number;
  /** Shared by all sessions: one learns for all that the servers demand SASL. */
  sasl?: { isUsed: boolean };
  /** Aborts to give up a session that is just being opened. */
  signal?: AbortSignal;
}

const longestPauseMs = 200;

/**
 * A ZooKeeper session. Its states:
 *
 * - *opening*, until a server has accepted it (`open` resolves) or none has within the timeout (`open` rejects);
 * - *connected*: requests are sent in call order;
 * - *disconnected*: it tries one server after another; requests wait, and watched paths count as changed afterwards;
 * - *closed* by `close`, or *lost*: the servers ended it, refused its credentials, or were silent for its whole timeout.
 *   Then every request, watch and hold ends with the reason.
 */
export class ZookeeperClient {
  /** Aborts, with the reason, when the session is over. */
  readonly ended: AbortSignal;
  /** The same, but not when the session is closed. */
  readonly lost: AbortSignal;
  readonly #end = new AbortController();
  readonly #lost = new AbortController();
  readonly #opened = Promise.withResolvers<void>();
  readonly #parts: ClientParts;
  readonly #key: SessionKey;
  readonly #sasl: { isUsed: boolean };
  readonly #listeners = new Map<string, Set<() => void>>();
  #waiting: Asked[] = [];
  #connection: Connection | undefined;
  #closing: Promise<void> | undefined;
  #cancelExpiry = () => {};
  #trouble = 'not tried yet';

  private constructor(parts: ClientParts) {
    this.#parts = parts;
    this.#sasl = parts.sasl ?? { isUsed: parts.address.sasl };
    this.#key = { id: 0n, password: Buffer.alloc(16), timeoutMs: parts.sessionTimeoutMs, newest: 0n };
    this.ended = this.#end.signal;
    this.lost = this.#lost.signal;
  }

  /** Rejects with `unavailable` if no server answers in time. */
  static async open(parts: ClientParts): Promise<ZookeeperClient> {
    const client = new ZookeeperClient(parts);
    const { signal } = parts;
    const giveUp = () => client.#finish(closed());
    signal?.addEventListener('abort', giveUp, { once: true });
    if (signal?.aborted) giveUp();
    void client.#stayConnected();
    try {
      await client.#opened.promise;
    } finally {
      signal?.removeEventListener('abort', giveUp);
    }
    return client;
  }

  get id(): bigint {
    return this.#key.id;
  }

  /** Sends requests in call order. Without a connection it waits for the next one, at most until the session ends. */
  async request<Answer>(request: Request<Answer>): Promise<Answer> {
    this.checkOpen();
    return this.#ask(request);
  }

  get isOver(): boolean {
    return this.#closing !== undefined || this.ended.aborted;
  }

  /** Throws the error that a request would reject with. */
  checkOpen(): void {
    if (this.isOver) throw this.ended.reason ?? closed();
  }

  /** Calls back when the path may have changed, after each reconnection, and when the session ends. */
  listen(path: string, listener: () => void): () => void {
    const listeners = this.#listeners.get(path) ?? new Set();
    this.#listeners.set(path, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.#listeners.get(path) === listeners) this.#listeners.delete(path);
    };
  }

  /** Ends the session at the server. If none is reachable for half the timeout, the session is left to expire. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /** Ends the session from outside, as the server does when a session goes silent. */
  async expire(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.ended.addEventListener('abort', () => resolve(), { once: true });
    // This client may take the session back in the meantime: then the other connection is refused, and we try again.
    for (let done = false; !done && !this.ended.aborted; ) {
      try {
        const other = await this.#connect({ ...this.#key }, 0);
        const onAnswer = () => {
          done = true;
        };
        other.send({ request: closeSession, resolve: onAnswer, reject: () => {}, repeated: false });
        await other.closed;
      } catch (error) {
        done = isRefusal(error, 'sessionExpired');
      }
    }
    // A server that has both connections does not close the older one.
    this.#connection?.destroy(new Error('The session ended'));
    await promise;
  }

  #ask<Answer>(request: Request<Answer>): Promise<Answer> {
    return new Promise((resolve, reject) => {
      if (this.ended.aborted) return reject(this.ended.reason);
      // The answer has the type that this request decodes.
      const asked: Asked = {
        request,
        resolve: resolve as (answer: unknown) => void,
        reject,
        repeated: false,
      };
      if (this.#connection) this.#connection.send(asked);
      else this.#waiting.push(asked);
    });
  }

  async #close(): Promise<void> {
    const answer = this.#ask(closeSession).catch(() => {});
    await endsWithin(this.#parts.clock, this.#key.timeoutMs / 2, answer);
    this.#finish(closed());
    await this.#connection?.closed;
  }

  async #stayConnected(): Promise<void> {
    const { clock, random, address } = this.#parts;
    const count = address.servers.length;
    // Timers measure the time: the wall clock may be set.
    this.#beginRenewal().confirm();
    let turn = Math.floor(random() * count);
    for (let failures = 0; !this.ended.aborted; ) {
      try {
        const connection = await this.#connect(this.#key, turn++ % count);
        failures = 0;
        await this.#use(connection);
      } catch (error) {
        this.#judge(error);
        failures++;
        // Try every server once, then pause.
        if (failures % count === 0) await sleep(clock, random() * longestPauseMs, this.ended);
      }
    }
  }

  #connect(session: SessionKey, index: number): Promise<Connection> {
    const { clock, address } = this.#parts;
    const { servers, tls, credentials } = address;
    const server = servers[index] ?? { host: 'localhost', port: 2181 };
    const onChange = (path: string) => this.#notify(path);
    const beginRenewal = () => this.#beginRenewal();
    const sasl = this.#sasl.isUsed;
    return Connection.open({ server, tls, credentials, sasl, clock, session, beginRenewal, onChange });
  }

  #beginRenewal(): SessionRenewal {
    const cancel = this.#parts.clock.after(this.#key.timeoutMs, () => this.#giveUp());
    const confirm = () => {
      this.#cancelExpiry();
      this.#cancelExpiry = cancel;
    };
    return { confirm, cancel };
  }

  /** Uses the connection until it breaks. */
  async #use(connection: Connection): Promise<void> {
    if (this.ended.aborted) return connection.destroy(this.ended.reason);
    this.#connection = connection;
    this.#opened.resolve();
    for (const asked of this.#waiting.splice(0)) connection.send(asked);
    // Watches ended with the last connection, so changes in between were missed.
    for (const path of [...this.#listeners.keys()]) this.#notify(path);
    const { unanswered, reason } = await connection.closed;
    this.#connection = undefined;
    this.#judge(reason);
    const again = unanswered.filter((asked) => asked.request.repeatable && !this.ended.aborted);
    this.#waiting.unshift(...again.map((asked) => ({ ...asked, repeated: true })));
    for (const asked of unanswered) {
      if (!again.includes(asked)) asked.reject(this.ended.reason ?? outcomeUnknown());
    }
  }

  #judge(error: unknown): void {
    this.#trouble = messageOf(error);
    if (isRefusal(error, 'sessionExpired')) this.#finish(expired('the servers ended it'));
    if (hasCode(error, 'forbidden')) this.#finish(error);
    const sasl = this.#sasl;
    const { credentials } = this.#parts.address;
    const demandsSasl = isRefusal(error, 'saslRequired');
    if (demandsSasl && credentials === undefined) {
      const remedy =
        'Put a user that its administrator has set up, and the password, into the coordination URL.';
      this.#finish(new PismakError('forbidden', `ZooKeeper demands authentication by SASL. ${remedy}`));
    } else if (demandsSasl && !sasl.isUsed) {
      sasl.isUsed = true;
    } else if (demandsSasl || isRefusal(error, 'authFailed')) {
      const how = sasl.isUsed ? ' (by SASL: its administrator sets up users)' : '';
      const text = `ZooKeeper refuses the credentials in the coordination URL${how}. Correct them.`;
      this.#finish(new PismakError('forbidden', text));
    }
  }

  #giveUp(): void {
    const servers = this.#parts.address.servers.map(({ host, port }) => `${host}:${port}`).join(', ');
    const trouble = `no ZooKeeper server answered for ${this.#key.timeoutMs} ms (${servers}): ${this.#trouble}`;
    const never = this.#key.id === 0n;
    this.#finish(
      never ? new PismakError('unavailable', `Could not open a session: ${trouble}.`) : expired(trouble),
    );
  }

  #finish(reason: PismakError): void {
    if (this.ended.aborted) return;
    this.#cancelExpiry();
    this.#end.abort(reason);
    this.#opened.reject(reason);
    for (const asked of this.#waiting.splice(0)) asked.reject(reason);
    this.#connection?.destroy(reason);
    for (const path of [...this.#listeners.keys()]) this.#notify(path);
    if (!this.#closing) this.#lost.abort(reason);
  }

  #notify(path: string): void {
    for (const listener of [...(this.#listeners.get(path) ?? [])]) listener();
  }
}

function expired(why: string): PismakError {
  return new PismakError('session-lost', `The session has expired: ${why}. Open a new one.`);
}

function closed(): PismakError {
  return new PismakError('session-lost', 'The session is closed.');
}

function outcomeUnknown(): PismakError {
  return new PismakError(
    'unavailable',
    'The connection to ZooKeeper broke before the answer, so the write may or may not be done. Read the node again.',
  );
}
