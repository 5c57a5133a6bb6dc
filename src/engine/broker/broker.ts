/**
 * The port to queues. What every adapter promises (and `contract.ts` tests):
 *
 * - `publish` resolves only when the message survives power loss and a queue has it; an undeclared queue is
 *   `queue-unknown`, a bounded one that is full `queue-full`, a body over the limit `message-too-large`.
 * - At least once: a message leaves only when acked, dead-lettered or purged. A consumer that dies gives its messages back.
 * - Two lanes, strict: while a high message is ready no normal one is started; within a lane, order of publishing.
 * - The attempt count is ours and durable. It is charged when a handler is started, never for what was only prefetched.
 * - A handler may run for as long as it likes: while its process lives, its message is given to nobody else.
 */
export interface Broker {
  /** Creates the queue, or changes the options of an existing one. Safe to repeat. */
  declare(queue: string, options?: QueueOptions): Promise<void>;
  /** Deletes the queue with everything in it, dead letters too. */
  remove(queue: string): Promise<void>;
  publish(queue: string, message: OutgoingMessage): Promise<void>;
  consume(queue: string, options: ConsumeOptions, handler: DeliveryHandler): Promise<Consumer>;

  /** All queues, or one (`queue-unknown` when there is none). */
  status(): Promise<QueueStatus[]>;
  status(queue: string): Promise<QueueStatus>;
  /** Paused queues accept messages and start none. Survives restarts. */
  pause(queue: string): Promise<void>;
  resume(queue: string): Promise<void>;
  /** Looks without taking: waiting messages in the order in which they would be delivered. */
  peek(queue: string, page?: Page): Promise<StoredMessage[]>;
  /** Deletes what waits (ready and delayed; not what is being processed). Resolves to how many. */
  purge(queue: string): Promise<number>;

  /** Dead letters, oldest first. */
  dead(queue: string, page?: Page): Promise<StoredMessage[]>;
  /** Gives dead letters (all, or those ids) back to their queue with the attempt count at zero. Resolves to how many. */
  redrive(queue: string, ids?: readonly string[]): Promise<number>;
  /** Deletes dead letters (all, or those ids). Resolves to how many. */
  discard(queue: string, ids?: readonly string[]): Promise<number>;

  /**
   * Which of these some message stands for, by its id up to the first slash, wherever it is: ready, delayed, being
   * processed or dead. All queues are seen at one moment, so what just moves on is found. Only adapters that can do that have it.
   */
  whichExist?(names: readonly string[]): Promise<string[]>;
  /** Writes a consistent copy to `file`, while in use. Only adapters that own their files have it. */
  snapshot?(file: string): Promise<void>;
  /** Closes the consumers (their handlers finish first) and then the connection. */
  close(): Promise<void>;
}

export type Lane = 'high' | 'normal';

export interface QueueOptions {
  /** Most messages that may wait; null = no bound. */
  maxLength?: number | null;
}

export interface OutgoingMessage {
  /** Chosen by the sender, so that sending twice can be recognised. */
  id: string;
  body: Uint8Array;
  lane?: Lane;
  headers?: Readonly<Record<string, string>>;
}

export interface ConsumeOptions {
  /** Handlers that may run at once. */
  concurrency: number;
  /** Messages that may be held here, running ones included. Default: a small multiple of the concurrency. */
  prefetch?: number;
}

export type DeliveryHandler = (delivery: Delivery) => Promise<void>;

/**
 * A message in the hands of a handler. Exactly one of ack, retry, deadLetter and release settles it; a handler that
 * throws before settling is retried after a second, one that returns without settling has released it.
 */
export interface Delivery {
  readonly id: string;
  readonly queue: string;
  readonly lane: Lane;
  readonly body: Uint8Array;
  readonly headers: Readonly<Record<string, string>>;
  /** 1 the first time. */
  readonly attempt: number;
  readonly history: readonly Failure[];
  readonly publishedAt: number;
  /** Resolves when the message is durably gone. Need not be awaited: if it is lost, the message comes again. */
  ack(): Promise<void>;
  /** Back to its place in the queue after `delayMs`, the reason added to the history. */
  retry(options: { delayMs: number; reason: string }): Promise<void>;
  deadLetter(reason: string): Promise<void>;
  /** Back to its place at once, and the attempt is not charged: it was not the message's fault. */
  release(): Promise<void>;
}

export interface Failure {
  at: number;
  attempt: number;
  reason: string;
}

export interface Consumer {
  /** Starts no more, gives back what was prefetched, and resolves when the running handlers have finished. */
  close(): Promise<void>;
}

export interface QueueStatus {
  name: string;
  ready: { high: number; normal: number };
  delayed: number;
  inFlight: number;
  dead: number;
  /** When the oldest ready message was published, null when none is ready. */
  oldestAt: number | null;
  paused: boolean;
  maxLength: number | null;
}

export interface StoredMessage {
  id: string;
  lane: Lane;
  state: 'ready' | 'delayed' | 'in-flight' | 'dead';
  attempt: number;
  publishedAt: number;
  /** For a delayed message, when it becomes ready. */
  readyAt: number | null;
  headers: Readonly<Record<string, string>>;
  history: readonly Failure[];
  body: Uint8Array;
}

export interface Page {
  offset?: number;
  limit?: number;
}

/** Everything that waits in a queue, whatever its lane; what the watchdog calls its length. */
export function queueLength(status: QueueStatus): number {
  return status.ready.high + status.ready.normal;
}
