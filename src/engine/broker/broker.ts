/**
 * The queue port. Every adapter promises (and `contract.ts` tests):
 *
 * - `publish` resolves only when a queue has the message and it survives power loss. An undeclared queue is
 *   `queue-unknown`, a full bounded queue `queue-full`, a body over the limit `message-too-large`, and a queue that the
 *   server can't have `queue-broken`.
 * - At least once: only ack, dead-lettering or purge takes a message away. A consumer that dies gives its messages back.
 * - Two strict lanes: while a high message is ready, no normal one starts. (Extra slots that no high message may use are
 *   the exception.) Within a lane, the messages of one owner keep publish order, and owners take turns as far as their
 *   messages are in memory: the header `pismak-owner` names the owner, and messages without it count as one owner's.
 * - The attempt count is durable. An attempt is charged when a handler starts, never for a prefetched message.
 * - A handler may run as long as it likes: while its process lives, no other consumer gets its message.
 */
export interface Broker {
  /**
   * Creates the queue, or changes the options of an existing one. Safe to repeat. `conflict` if the server refuses the
   * queue, for example because another program's queue has its name; then nothing is left behind.
   */
  declare(queue: string, options?: QueueOptions): Promise<void>;
  /** Deletes the queue with everything in it, dead letters too. Leaves alone what another program has under its name. */
  remove(queue: string): Promise<void>;
  publish(queue: string, message: OutgoingMessage): Promise<void>;
  consume(queue: string, options: ConsumeOptions, handler: DeliveryHandler): Promise<Consumer>;

  /** All queues, or one (`queue-unknown` if it does not exist). */
  status(): Promise<QueueStatus[]>;
  status(queue: string): Promise<QueueStatus>;
  /** Queues that the server refuses, and why, as far as this process knows. Optional: most servers refuse none. */
  refused?(): ReadonlyMap<string, string>;
  /** A paused queue accepts messages and starts none. The pause survives restarts. */
  pause(queue: string): Promise<void>;
  resume(queue: string): Promise<void>;
  /** Returns waiting messages in delivery order, without taking them. */
  peek(queue: string, page?: Page): Promise<StoredMessage[]>;
  /** Deletes waiting messages (ready and delayed, not those being processed). Resolves to their number. */
  purge(queue: string): Promise<number>;

  /** Dead letters, oldest first. */
  dead(queue: string, page?: Page): Promise<StoredMessage[]>;
  /**
   * Counts the dead letters that match, and returns a page of them, oldest first. Examines all, with bounded memory: few
   * bodies at once, besides those it returns. Letters that die meanwhile may or may not be found.
   */
  findDead(queue: string, filter: DeadLetterFilter, page?: Page & Cancellable): Promise<FoundDeadLetters>;
  /**
   * Returns dead letters (all, these ids, or those that match) to their queue with zero attempts. Resolves to their number.
   * Goes in steps: if it is interrupted, the same call does the rest. A letter that dies again meanwhile is not moved twice.
   */
  redrive(queue: string, which?: DeadLetterChoice, how?: Cancellable): Promise<number>;
  /** Deletes dead letters (all, these ids, or those that match), in the same way. Resolves to their number. */
  discard(queue: string, which?: DeadLetterChoice, how?: Cancellable): Promise<number>;

  /**
   * Returns the names for which a message exists: one whose id, up to the first slash, is the name, be it ready, delayed,
   * being processed or dead. Sees all queues at one moment, so it finds messages that are just moving on. Optional.
   */
  whichExist?(names: readonly string[]): Promise<string[]>;
  /** The clock was set by `ms`: delayed messages keep what remains of their delay. Not needed where the server counts time. */
  shiftDelays?(ms: number): Promise<void>;
  /** Stores something small and fails if that is impossible now. Optional. */
  probe?(): Promise<void>;
  /** Writes a consistent copy to `file`, while in use. Optional: only adapters that own their files can. */
  snapshot?(file: string): Promise<void>;
  /** Closes the consumers, after their handlers finish, and then the connection. */
  close(): Promise<void>;
}

export type Lane = 'high' | 'normal';

export interface QueueOptions {
  /** Limit on waiting messages; null = no limit. */
  maxLength?: number | null;
  /**
   * If the server refuses the queue, all processes shall know: it is listed as broken, publishing to it fails with
   * `queue-broken`, and consumers wait, until a later `declare` succeeds. The call itself still fails with `conflict`.
   */
  keepIfRefused?: boolean;
  /**
   * Other programs may publish to it directly, where the server lets them (RabbitMQ). Consumers sort what they send into
   * the lanes. Once given, it stays.
   */
  hasInbox?: boolean;
}

/** Which lane a message takes that another program put into the queue. `lane` is what the program asked for. */
export type ForeignLane = (message: { lane: Lane; body: Uint8Array }) => Lane;

export interface OutgoingMessage {
  /** Chosen by the sender, so that duplicates can be recognised. */
  id: string;
  body: Uint8Array;
  lane?: Lane;
  headers?: Readonly<Record<string, string>>;
}

export interface ConsumeOptions {
  /** Handlers that may run at once. */
  concurrency: number;
  /**
   * Handlers that may run besides those, each for an owner whose messages wait while others' have run for over a second: a
   * tar pit holds up only its own owner. Default: none.
   */
  extra?: number;
  /** Messages that may be held in memory, including running ones. Default: a small multiple of the concurrency. */
  prefetch?: number;
  /** For a queue with an inbox. Default: the lane that the program asked for. */
  foreignLane?: ForeignLane;
}

export type DeliveryHandler = (delivery: Delivery) => Promise<void>;

/**
 * A message that a handler holds. Exactly one of ack, retry, deadLetter and release settles it. If the handler throws
 * first, the message is retried after a second; if the handler returns without settling, the message is released.
 */
export interface Delivery {
  readonly id: string;
  readonly queue: string;
  readonly lane: Lane;
  readonly body: Uint8Array;
  readonly headers: Readonly<Record<string, string>>;
  /** Starts at 1. */
  readonly attempt: number;
  /**
   * A consumer had it and did not settle it, and may have begun it without having been counted in `attempt`. RabbitMQ knows no
   * more than that; on other brokers it is false, and a handler that published anything was counted.
   */
  readonly mayHaveBegun: boolean;
  readonly history: readonly Failure[];
  readonly publishedAt: number;
  /** Resolves when the deletion is durable. Need not be awaited: if the ack is lost, the message is delivered again. */
  ack(): Promise<void>;
  /** Puts the message back in its place after `delayMs` and adds the reason to its history. */
  retry(options: { delayMs: number; reason: string }): Promise<void>;
  deadLetter(reason: string): Promise<void>;
  /** Puts the message back in its place at once, without charging the attempt: the message was not at fault. */
  release(): Promise<void>;
}

export interface Failure {
  at: number;
  attempt: number;
  reason: string;
}

export interface Consumer {
  /** Starts no more messages, gives back prefetched ones, and resolves when the running handlers have finished. */
  close(): Promise<void>;
}

export interface QueueStatus {
  name: string;
  ready: { high: number; normal: number };
  delayed: number;
  inFlight: number;
  dead: number;
  /** When the oldest ready message was published, or null if none is ready. */
  oldestAt: number | null;
  paused: boolean;
  maxLength: number | null;
  /** Why the server can't have the queue at the moment, and what to do; missing if it has it. */
  broken?: string | undefined;
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

/** Stops between two steps. */
export interface Cancellable {
  signal?: AbortSignal | undefined;
}

/** What a dead letter must have: all of it. Case doesn't matter, except in the body. */
export interface DeadLetterFilter {
  /** Part of the reason of the last failure. */
  reason?: string | undefined;
  /** Exactly; '' matches messages that name no owner. */
  owner?: string | undefined;
  /** Died at or after this time. */
  since?: number | undefined;
  /** Died before this time. What dies later is not touched: so exactly those are redriven that were counted. */
  before?: number | undefined;
  /** Part of the id, a header, any reason of its history, or the body as it was published. */
  text?: string | undefined;
}

export type DeadLetterChoice = readonly string[] | DeadLetterFilter;

export interface FoundDeadLetters {
  count: number;
  messages: StoredMessage[];
}

/** All waiting messages of a queue, in both lanes. The watchdog calls this its length. */
export function queueLength(status: QueueStatus): number {
  return status.ready.high + status.ready.normal;
}
