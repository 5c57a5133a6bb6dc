import type { Clock } from '../../time/clock.ts';
import type { Failure, Lane, OutgoingMessage } from '../broker.ts';
import type { Charges } from './charges.ts';
import type { RabbitConnection } from './connection.ts';
import { HeadTimestamps } from './head-timestamps.ts';
import { type RabbitMessage, type Target, toEnvelope } from './message.ts';
import { deadQueue, delayQueue, delayStep, laneQueue, maxDelayMs } from './names.ts';
import type { Publisher } from './publisher.ts';
import type { Registry } from './registry.ts';
import { createDelayQueue } from './server-queues.ts';

/** What the parts of the broker share, and the ways to publish a message. */
export class Shared {
  readonly clock: Clock;
  /** Not the one that publishes: under a memory alarm the server stops reading that one, and acks would stall. */
  readonly connection: RabbitConnection;
  readonly charges: Charges;
  readonly registry: Registry;
  readonly headTimestamps: HeadTimestamps;
  readonly #publisher: Publisher;
  readonly #publishIdPrefix: string;
  #published = 0;

  constructor(parts: {
    clock: Clock;
    connection: RabbitConnection;
    charges: Charges;
    registry: Registry;
    publisher: Publisher;
    publishIdPrefix: string;
  }) {
    this.clock = parts.clock;
    this.connection = parts.connection;
    this.charges = parts.charges;
    this.registry = parts.registry;
    this.headTimestamps = new HeadTimestamps(parts.clock);
    this.#publisher = parts.publisher;
    this.#publishIdPrefix = parts.publishIdPrefix;
  }

  /** The server queue of a lane. A process that does not know of the inbox yet uses the inbox, which is right too. */
  laneQueue(queue: string, lane: Lane): string {
    return laneQueue(queue, lane, this.registry.find(queue)?.hasInbox ?? false);
  }

  publish(queue: string, outgoing: OutgoingMessage): Promise<void> {
    const lane = outgoing.lane ?? 'normal';
    return this.#send(
      queue,
      { routingKey: this.laneQueue(queue, lane) },
      {
        id: outgoing.id,
        publishId: '',
        lane,
        attempts: 0,
        publishedAt: Math.floor(this.clock.now()),
        readyAt: null,
        headers: outgoing.headers ?? noHeaders,
        history: noHistory,
        // A copy: the sender may reuse its buffer at once.
        body: Buffer.from(outgoing.body),
      },
    );
  }

  /** The server takes no messages because its disk is full. */
  get isDiskFull(): boolean {
    return this.#publisher.isDiskFull;
  }

  publishToLane(queue: string, message: RabbitMessage): Promise<void> {
    return this.#send(
      queue,
      { routingKey: this.laneQueue(queue, message.lane) },
      { ...message, readyAt: null },
    );
  }

  publishToDead(queue: string, message: RabbitMessage): Promise<void> {
    return this.#send(queue, { routingKey: deadQueue(queue) }, { ...message, readyAt: null });
  }

  /** Each message carries its own delay and shares a queue with messages of similar delays. */
  async publishToDelay(queue: string, message: RabbitMessage, delayMs: number): Promise<void> {
    const delay = Math.ceil(Math.min(delayMs, maxDelayMs));
    const step = delayStep(delay);
    if (!(await this.registry.get(queue)).delays.has(step)) {
      await createDelayQueue(this.connection, queue, step);
      await this.registry.change({ queue, delay: step });
    }
    const target = { exchange: delayQueue(queue, step), routingKey: this.laneQueue(queue, message.lane) };
    const readyAt = this.clock.now() + delay;
    return this.#send(queue, { ...target, expiration: String(delay) }, { ...message, readyAt });
  }

  /** Gives the message a new publish id. The caller must not use the message afterwards. */
  #send(queue: string, target: Target, message: RabbitMessage): Promise<void> {
    this.charges.write();
    message.publishId = `${this.#publishIdPrefix}${(this.#published++).toString(36)}`;
    const { buffer, byteOffset, byteLength } = message.body;
    const body = Buffer.from(buffer, byteOffset, byteLength);
    return this.#publisher.send(queue, message.publishId, toEnvelope(message, target), body);
  }
}

const noHeaders: Readonly<Record<string, string>> = Object.freeze({});
const noHistory: readonly Failure[] = Object.freeze([]);
