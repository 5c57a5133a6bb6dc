import type { Clock } from '../../time/clock.ts';
import type { Failure, Lane, OutgoingMessage } from '../broker.ts';
import type { Charges } from './charges.ts';
import { Heads } from './heads.ts';
import type { RabbitLink } from './link.ts';
import { type RabbitMessage, type Target, toEnvelope } from './message.ts';
import { deadQueue, delayQueue, delayStep, laneQueue, maxDelayMs } from './names.ts';
import type { Publisher } from './publisher.ts';
import type { Registry } from './registry.ts';
import { createDelayQueue } from './server-queues.ts';

/** What the parts of the broker share, and the ways to send a message. */
export class Shared {
  readonly clock: Clock;
  /** Separate from the publishing link: under a memory alarm the server stops reading that one, and acks would stall. */
  readonly link: RabbitLink;
  readonly charges: Charges;
  readonly registry: Registry;
  readonly heads: Heads;
  readonly #publisher: Publisher;
  readonly #lifePrefix: string;
  #lives = 0;

  constructor(parts: {
    clock: Clock;
    link: RabbitLink;
    charges: Charges;
    registry: Registry;
    publisher: Publisher;
    lifePrefix: string;
  }) {
    this.clock = parts.clock;
    this.link = parts.link;
    this.charges = parts.charges;
    this.registry = parts.registry;
    this.heads = new Heads(parts.clock);
    this.#publisher = parts.publisher;
    this.#lifePrefix = parts.lifePrefix;
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
        life: '',
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

  toLane(queue: string, message: RabbitMessage): Promise<void> {
    return this.#send(
      queue,
      { routingKey: this.laneQueue(queue, message.lane) },
      { ...message, readyAt: null },
    );
  }

  toDead(queue: string, message: RabbitMessage): Promise<void> {
    return this.#send(queue, { routingKey: deadQueue(queue) }, { ...message, readyAt: null });
  }

  /** Each message carries its own delay and shares a queue with messages of similar delays. */
  async toDelay(queue: string, message: RabbitMessage, delayMs: number): Promise<void> {
    const delay = Math.ceil(Math.min(delayMs, maxDelayMs));
    const step = delayStep(delay);
    if (!(await this.registry.get(queue)).delays.has(step)) {
      await createDelayQueue(this.link, queue, step);
      await this.registry.change({ queue, delay: step });
    }
    const target = { exchange: delayQueue(queue, step), routingKey: this.laneQueue(queue, message.lane) };
    const readyAt = this.clock.now() + delay;
    return this.#send(queue, { ...target, expiration: String(delay) }, { ...message, readyAt });
  }

  /** Gives the message its life. The caller hands the message over. */
  #send(queue: string, target: Target, message: RabbitMessage): Promise<void> {
    this.charges.write();
    message.life = `${this.#lifePrefix}${(this.#lives++).toString(36)}`;
    const { buffer, byteOffset, byteLength } = message.body;
    const body = Buffer.from(buffer, byteOffset, byteLength);
    return this.#publisher.send(queue, message.life, toEnvelope(message, target), body);
  }
}

const noHeaders: Readonly<Record<string, string>> = Object.freeze({});
const noHistory: readonly Failure[] = Object.freeze([]);
