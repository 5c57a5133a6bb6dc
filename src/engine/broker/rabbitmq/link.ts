import type { Channel, Connection, ConnectionOptions } from 'rabbitmq-client';
import { messageOf, PismakError } from '../../errors.ts';
import type { Clock } from '../../time/clock.ts';
import { endsWithin, unlessAborted, withDeadline } from '../../time/deadline.ts';

const connectMs = 20_000;
const closeMs = 5_000;

/** A connection that finds its way back by itself, and what goes wrong with it, said in our words. */
export class RabbitLink {
  readonly #connection: Connection;
  readonly #clock: Clock;
  #lastError: unknown;
  #closed = false;
  #wasConnected = false;
  #freeSince: number | undefined;

  /** `purpose` is what administrators see in the list of connections. */
  constructor(
    create: (options: ConnectionOptions) => Connection,
    address: ConnectionOptions,
    purpose: string,
    clock: Clock,
  ) {
    this.#clock = clock;
    this.#connection = create({
      ...address,
      connectionName: `pismak ${purpose}`,
      // Without it get and ack stall 44 ms in the kernel.
      noDelay: true,
      heartbeat: 10,
      retryLow: 100,
      retryHigh: 2000,
      acquireTimeout: connectMs,
      frameMax: 128 * 1024,
    });
    this.#connection.on('error', (error) => {
      this.#lastError = error;
    });
    const isFree = () => {
      this.#freeSince = clock.now();
    };
    this.#connection.on('connection', isFree);
    this.#connection.on('connection.unblocked', isFree);
    this.#connection.on('connection.blocked', () => {
      this.#freeSince = undefined;
    });
  }

  /** Fails at once when another try would fail as well, else after 20 s. */
  async connected(): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#connection.once('connection', resolve);
    this.#connection.on('error', (error) => {
      if (isHopeless(error)) reject(error);
    });
    try {
      await withDeadline(this.#clock, connectMs, promise, () => {
        throw new Error('no server has answered');
      });
      this.#wasConnected = true;
    } catch (error) {
      throw unavailable(this.#lastError ?? error);
    }
  }

  /** Since when the server takes what is published: not while it is short of memory or disk. */
  get freeSince(): number | undefined {
    return this.#freeSince;
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  /** A channel of one's own; errors of the channel go to `error` listeners of it. */
  async channel(signal?: AbortSignal): Promise<Channel> {
    if (this.#closed) throw closedError();
    try {
      const channel = await orAborted(this.#connection.acquire({ emitErrorsFromChannel: true }), signal);
      channel.on('error', () => {});
      // A queue was removed, or its node has gone: whoever consumes begins anew.
      channel.on('basic.cancel', () => void channel.close());
      return channel;
    } catch (error) {
      throw this.#closed ? closedError() : unavailable(this.#lastError ?? error);
    }
  }

  /** Runs one piece of work on a channel of its own. What it leaves un-acked goes back to its queue. */
  async use<T>(work: (channel: Channel) => Promise<T>, signal?: AbortSignal): Promise<T> {
    const channel = await this.channel(signal);
    try {
      return await work(channel);
    } catch (error) {
      throw error instanceof PismakError ? error : unavailable(error);
    } finally {
      await closeChannel(channel, this.#clock);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    // Its own close would wait for ever for a connection that never was.
    if (this.#wasConnected) await endsWithin(this.#clock, closeMs, this.#connection.close());
    // Nor does it end when the other side has gone without a word.
    this.#connection.unsafeDestroy();
  }
}

/** To wait for a server that is away takes long: whoever stops gives up the channel instead. */
async function orAborted(acquiring: Promise<Channel>, signal?: AbortSignal): Promise<Channel> {
  try {
    return await unlessAborted(acquiring, signal);
  } catch (error) {
    if (!signal?.aborted) throw error;
    acquiring.then(
      (channel) => channel.close(),
      () => {},
    );
    throw closedError();
  }
}

/**
 * The client's own promise stays open for ever when the connection is lost before the server has answered, but the event
 * comes then. Neither comes while the way to the server is dead and nobody knows it.
 */
export async function closeChannel(channel: Channel, clock: Clock): Promise<void> {
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  channel.once('close', resolve);
  await endsWithin(clock, closeMs, Promise.race([channel.close(), closed]));
}

/** Credentials, rights and certificates don't get better by waiting. */
function isHopeless(error: unknown): boolean {
  return /ACCESS_REFUSED|NOT_ALLOWED|CERT|SELF_SIGNED|UNABLE_TO/.test(String(serverCode(error)));
}

export function queueUnknown(queue: string): PismakError {
  return new PismakError('queue-unknown', `There is no queue ${queue}. Declare it first.`);
}

export function closedError(): PismakError {
  return new PismakError('unavailable', 'The broker is closed.');
}

export function unavailable(error: unknown): PismakError {
  return new PismakError('unavailable', `RabbitMQ does not serve: ${messageOf(error)}`, { cause: error });
}

/** The server's own word for what went wrong, e.g. `NOT_FOUND`. */
export function serverCode(error: unknown): unknown {
  const origin = error instanceof PismakError ? error.cause : error;
  return origin instanceof Error && 'code' in origin ? origin.code : undefined;
}
