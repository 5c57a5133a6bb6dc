import type { Channel, Connection, ConnectionOptions } from 'rabbitmq-client';
import { messageOf, PismakError } from '../../ground/errors.ts';
import type { Clock } from '../../time/clock.ts';
import { endsWithin, unlessAborted, withDeadline } from '../../time/deadline.ts';

const connectMs = 20_000;
const closeMs = 3_000;

/**
 * A connection to the cluster. It is *up*, or *down* and reconnecting by itself (0.1 to 2 s apart, to any of the hosts), or *blocked* while
 * the server is short of memory or disk, or *closed* for good. Errors are PismakErrors.
 */
export class RabbitConnection {
  readonly #client: Connection;
  readonly #clock: Clock;
  #lastError: unknown;
  #closed = false;
  #isUp = false;
  #freeSince: number | undefined;
  #isDiskFull = false;

  /** Administrators see `purpose` in the list of connections. */
  constructor(
    create: (options: ConnectionOptions) => Connection,
    address: ConnectionOptions,
    purpose: string,
    clock: Clock,
  ) {
    this.#clock = clock;
    this.#client = create({
      ...address,
      connectionName: `pismak ${purpose}`,
      // Otherwise get and ack stall 44 ms in the kernel.
      noDelay: true,
      heartbeat: 10,
      retryLow: 100,
      retryHigh: 2000,
      acquireTimeout: connectMs,
      frameMax: 128 * 1024,
    });
    this.#client.on('error', (error) => {
      this.#lastError = error;
      this.#isUp = false;
    });
    this.#client.on('connection', () => {
      this.#isUp = true;
    });
    const isFree = () => {
      this.#isDiskFull = false;
      this.#freeSince = clock.now();
    };
    this.#client.on('connection', isFree);
    this.#client.on('connection.unblocked', isFree);
    this.#client.on('connection.blocked', (reason) => {
      this.#freeSince = undefined;
      this.#isDiskFull = /disk/i.test(reason);
    });
  }

  /** Fails at once if a retry is hopeless, otherwise after 20 s. */
  async connected(patienceMs = connectMs): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#client.once('connection', resolve);
    this.#client.on('error', (error) => {
      if (isHopeless(error)) reject(error);
    });
    try {
      await withDeadline(this.#clock, patienceMs, promise, () => {
        throw new Error('no server answered');
      });
    } catch (error) {
      throw unavailable(this.#lastError ?? error);
    }
  }

  /** Since when the server accepts messages; undefined while it is short of memory or disk. */
  get freeSince(): number | undefined {
    return this.#freeSince;
  }

  /** The server takes no messages because its disk is full. That may last for days, unlike a lack of memory. */
  get isDiskFull(): boolean {
    return this.#isDiskFull;
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  /** Opens a channel. Its errors go to its `error` listeners. */
  async channel(signal?: AbortSignal): Promise<Channel> {
    if (this.#closed) throw closedError();
    try {
      const channel = await orAborted(this.#client.acquire({ emitErrorsFromChannel: true }), signal);
      channel.on('error', () => {});
      // The queue was removed or its node is gone: the consumer starts again.
      channel.on('basic.cancel', () => void channel.close());
      return channel;
    } catch (error) {
      throw this.#closed ? closedError() : unavailable(this.#lastError ?? error);
    }
  }

  /** Runs `work` on its own channel. Messages it leaves unacked return to their queue. */
  async withChannel<T>(work: (channel: Channel) => Promise<T>, signal?: AbortSignal): Promise<T> {
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
    // The client's close waits for the server to answer for each channel and then to hang up. Without a connection it
    // would wait for ever; with one that is dead, but not known to be, it must not take long.
    if (this.#isUp) await endsWithin(this.#clock, closeMs, this.#client.close());
    this.#client.unsafeDestroy();
  }
}

/** Waiting for an absent server takes long, so a caller that is told to stop gives up the channel instead. */
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
 * The client's own promise stays pending for ever if the connection is lost before the server answers, but then the event
 * fires. Neither happens while the connection is dead and that is not noticed yet.
 */
export async function closeChannel(channel: Channel, clock: Clock): Promise<void> {
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  channel.once('close', resolve);
  await endsWithin(clock, closeMs, Promise.race([channel.close(), closed]));
}

/** Waiting does not fix credentials, permissions or certificates. */
function isHopeless(error: unknown): boolean {
  return /ACCESS_REFUSED|NOT_ALLOWED|CERT|SELF_SIGNED|UNABLE_TO/.test(String(serverCode(error)));
}

export function queueUnknown(queue: string): PismakError {
  return new PismakError('queue-unknown', `There is no queue ${queue}. Declare it first.`);
}

/** `reason` says what to do about it. */
export function queueBroken(queue: string, reason: string): PismakError {
  return new PismakError('queue-broken', `The queue ${queue} can't be used now. ${reason}`);
}

export function closedError(): PismakError {
  return new PismakError('unavailable', 'The broker is closed.');
}

export function unavailable(error: unknown): PismakError {
  return new PismakError('unavailable', `RabbitMQ is not available: ${messageOf(error)}`, { cause: error });
}

/** The server's error code, e.g. `NOT_FOUND`. */
export function serverCode(error: unknown): unknown {
  const origin = error instanceof PismakError ? error.cause : error;
  return origin instanceof Error && 'code' in origin ? origin.code : undefined;
}
