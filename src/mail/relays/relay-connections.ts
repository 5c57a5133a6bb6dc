import type { Clock } from '../../engine/time/clock.ts';
import type { SmtpConnection } from '../smtp/connection.ts';

/** Connections are replaced after so many mails or so long a silence: servers expect it. */
const mailsPerConnection = 100;
const idleMs = 60_000;

/**
 * The connections to one relay. Each is writing a mail; or its mail is written and waits for its answer, so that another may
 * follow; or idle.
 */
export class RelayConnections {
  readonly #clock: Clock;
  #idle: { connection: SmtpConnection; since: number }[] = [];
  /** The mail is written, and no other has followed. */
  readonly #written = new Set<SmtpConnection>();
  /** Mails under way on each. */
  readonly #inUse = new Map<SmtpConnection, number>();
  #opening = 0;
  #isClosed = false;
  #cancelTimer = () => {};
  #hasTimer = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#idle.length + this.#inUse.size + this.#opening;
  }

  get idle(): number {
    return this.#idle.length;
  }

  get written(): number {
    return this.#written.size;
  }

  /** One for a mail: an idle one, or if none may be opened, one on which it follows another mail. */
  take(mayOpen: boolean): SmtpConnection | undefined {
    // A firewall on the way may have forgotten one that was idle for long: its mail would wait for minutes.
    this.#closeIdle();
    for (let last = this.#idle.pop(); last; last = this.#idle.pop())
      if (last.connection.isOpen) return this.#use(last.connection);
    if (mayOpen) return undefined;
    for (const connection of this.#written) {
      this.#written.delete(connection);
      if (connection.isOpen) return this.#use(connection);
    }
    return undefined;
  }

  async open(open: () => Promise<SmtpConnection>): Promise<SmtpConnection> {
    this.#opening++;
    try {
      return this.#use(await open());
    } finally {
      this.#opening--;
    }
  }

  isWritten(connection: SmtpConnection): void {
    if (connection.begun < mailsPerConnection) this.#written.add(connection);
  }

  isAnswered(connection: SmtpConnection): void {
    const left = (this.#inUse.get(connection) ?? 1) - 1;
    if (left > 0) {
      this.#inUse.set(connection, left);
      return;
    }
    this.#inUse.delete(connection);
    this.#written.delete(connection);
    if (!connection.isOpen) return;
    if (this.#isClosed || connection.begun >= mailsPerConnection) void connection.quit();
    else {
      this.#idle.push({ connection, since: this.#clock.now() });
      if (this.#idle.length === 1) this.#closeIdle();
    }
  }

  #closeIdle(): void {
    const now = this.#clock.now();
    // The longest idle is the first.
    while (this.#idle[0] && now - this.#idle[0].since >= idleMs) void this.#idle.shift()?.connection.quit();
    const [first] = this.#idle;
    if (!first || this.#hasTimer) return;
    this.#hasTimer = true;
    this.#cancelTimer = this.#clock.after(first.since + idleMs - now, () => {
      this.#hasTimer = false;
      this.#closeIdle();
    });
  }

  /** Those in use end with their mail. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelTimer();
    await Promise.all(this.#idle.splice(0).map(({ connection }) => connection.quit()));
  }

  #use(connection: SmtpConnection): SmtpConnection {
    this.#inUse.set(connection, (this.#inUse.get(connection) ?? 0) + 1);
    return connection;
  }
}
