import type { Channel } from 'rabbitmq-client';
import { diskFull } from '../../disk/disk-reserve.ts';
import { hasCode, messageOf } from '../../ground/errors.ts';
import { Slots } from '../../turns/slots.ts';
import type {
  Broker,
  Cancellable,
  ConsumeOptions,
  Consumer,
  DeadLetterChoice,
  DeadLetterFilter,
  DeliveryHandler,
  FoundDeadLetters,
  Lane,
  OutgoingMessage,
  Page,
  QueueOptions,
  QueueStatus,
  StoredMessage,
} from '../broker.ts';
import { checkConsumeOptions, checkMessage, pageOf } from '../checks.ts';
import { chosenBy, letterMatcher } from '../dead-letter-filter.ts';
import { AdaptivePrefetch } from './adaptive-prefetch.ts';
import { closedError, queueBroken, queueUnknown, serverCode } from './connection.ts';
import { RabbitConsumer } from './consumer.ts';
import { ackSome, getFirst, requeue } from './get-and-requeue.ts';
import { LengthLimit } from './length-limit.ts';
import { checkHeaders, fromIncoming, type RabbitMessage, toStored } from './message.ts';
import { checkName, deadQueue, delayQueue, fitsName } from './names.ts';
import { countReady, createQueues, deleteQueues } from './server-queues.ts';
import type { Shared } from './shared.ts';

const lanes: readonly Lane[] = ['high', 'normal'];

/** What this process knows about a queue beyond the registry. */
interface LocalQueue {
  consumers: Set<RabbitConsumer>;
  prefetch: AdaptivePrefetch;
  limit: LengthLimit;
  /** Browsing takes messages away for a moment, so one caller does it at a time. */
  browsing: Slots;
}

export class RabbitBroker implements Broker {
  readonly #shared: Shared;
  readonly #maxMessageBytes: number;
  readonly #closeConnections: () => Promise<void>;
  readonly #local = new Map<string, LocalQueue>();
  #closed: Promise<void> | undefined;
  #isClosed = false;

  constructor(shared: Shared, maxMessageBytes: number, closeConnections: () => Promise<void>) {
    this.#shared = shared;
    this.#maxMessageBytes = maxMessageBytes;
    this.#closeConnections = closeConnections;
  }

  /** The registry reports that the queue changed. */
  changed(queue: string): void {
    for (const consumer of this.#local.get(queue)?.consumers ?? []) consumer.wake();
  }

  async declare(
    queue: string,
    { maxLength, keepIfRefused = false, hasInbox = false }: QueueOptions = {},
  ): Promise<void> {
    checkName(queue);
    const { connection, registry } = this.#shared;
    const limit = maxLength === undefined ? {} : { maxLength };
    try {
      await createQueues(connection, queue, hasInbox || registry.find(queue)?.hasInbox === true);
    } catch (error) {
      const isNews = hasCode(error, 'conflict') && registry.find(queue)?.broken !== error.message;
      if (keepIfRefused && isNews) await registry.change({ queue, ...limit, broken: error.message });
      throw error;
    }
    const known = registry.find(queue);
    const isBroken = known !== undefined && known.broken !== null;
    const isNew = !known || (hasInbox && !known.hasInbox) || isBroken;
    if (!isNew && (maxLength === undefined || maxLength === known.maxLength)) return;
    const inbox = hasInbox ? { inbox: true as const } : {};
    await registry.change({ queue, ...limit, ...inbox, ...(isBroken && { broken: null }) });
  }

  async remove(queue: string): Promise<void> {
    const { connection, registry } = this.#shared;
    await registry.getEvenBroken(queue);
    // In this order it can be repeated after a failure.
    await deleteQueues(connection, queue);
    await registry.change({ queue, removed: true });
  }

  async publish(queue: string, message: OutgoingMessage): Promise<void> {
    if (this.#isClosed) throw closedError();
    if (!fitsName(queue)) throw queueUnknown(queue);
    if (this.#shared.isDiskFull) throw diskFull(new Error('RabbitMQ: disk alarm'));
    checkHeaders(message, checkMessage(message, this.#maxMessageBytes));
    const { maxLength = null, broken = null } = this.#shared.registry.find(queue) ?? {};
    // The server would put it into the other program's queue of that name.
    if (broken !== null) throw queueBroken(queue, broken);
    const send = () => this.#shared.publish(queue, message);
    if (maxLength === null) await send();
    else await this.#of(queue).limit.send(queue, maxLength, send);
    this.changed(queue);
  }

  async probe(): Promise<void> {
    if (this.#shared.isDiskFull) throw diskFull(new Error('RabbitMQ: disk alarm'));
  }

  async consume(queue: string, options: ConsumeOptions, handler: DeliveryHandler): Promise<Consumer> {
    checkConsumeOptions(options);
    if (this.#isClosed || this.#closed) throw closedError();
    // The consumer of a broken queue starts once the server accepts the queue.
    await this.#shared.registry.getEvenBroken(queue);
    const { consumers, prefetch } = this.#of(queue);
    const consumer = new RabbitConsumer(queue, this.#shared, prefetch, options, handler, (leaving) =>
      consumers.delete(leaving),
    );
    consumers.add(consumer);
    return consumer;
  }

  status(): Promise<QueueStatus[]>;
  status(queue: string): Promise<QueueStatus>;
  async status(queue?: string): Promise<QueueStatus | QueueStatus[]> {
    if (queue !== undefined) return this.#status(queue);
    const all: QueueStatus[] = [];
    for (const name of this.#shared.registry.names()) all.push(await this.#status(name));
    return all;
  }

  refused(): Map<string, string> {
    return this.#shared.registry.broken();
  }

  async pause(queue: string): Promise<void> {
    await this.#shared.registry.get(queue);
    await this.#shared.registry.change({ queue, paused: true });
  }

  async resume(queue: string): Promise<void> {
    await this.#shared.registry.get(queue);
    await this.#shared.registry.change({ queue, paused: false });
  }

  async peek(queue: string, page?: Page): Promise<StoredMessage[]> {
    const { offset, limit } = pageOf(page);
    const { delays, hasInbox } = await this.#shared.registry.get(queue);
    return this.#browse(queue, async (channel) => {
      const found: StoredMessage[] = [];
      const end = offset + limit;
      for (const lane of lanes) {
        if (found.length >= end) break;
        const seen = await this.#getAndRequeue(
          channel,
          this.#shared.laneQueue(queue, lane),
          end - found.length,
          lane === 'high',
        );
        found.push(...seen.map((message) => toStored(message, 'ready')));
      }
      if (hasInbox) {
        const seen = await this.#getAndRequeue(channel, queue, end - found.length, false);
        found.push(...seen.map((message) => toStored(message, 'ready')));
      }
      const delayed: RabbitMessage[] = [];
      for (const step of found.length < end ? delays : []) {
        delayed.push(...(await this.#getAndRequeue(channel, delayQueue(queue, step), end, false)));
      }
      delayed.sort((a, b) => (a.readyAt ?? 0) - (b.readyAt ?? 0));
      found.push(...delayed.map((message) => toStored(message, 'delayed')));
      return found.slice(offset, end);
    });
  }

  async purge(queue: string): Promise<number> {
    const { delays, hasInbox } = await this.#shared.registry.get(queue);
    const names = [
      ...(hasInbox ? [queue] : []),
      ...lanes.map((lane) => this.#shared.laneQueue(queue, lane)),
      ...[...delays].map((step) => delayQueue(queue, step)),
    ];
    return this.#browse(queue, async (channel) => {
      let purged = 0;
      for (const name of names) purged += (await channel.queuePurge(name)).messageCount;
      for (const consumer of this.#of(queue).consumers) purged += await consumer.purge();
      return purged;
    });
  }

  async dead(queue: string, page?: Page): Promise<StoredMessage[]> {
    const { offset, limit } = pageOf(page);
    await this.#shared.registry.get(queue);
    return this.#browse(queue, async (channel) => {
      const seen = await this.#getAndRequeue(channel, deadQueue(queue), offset + limit, false);
      return seen.slice(offset, offset + limit).map((message) => toStored(message, 'dead'));
    });
  }

  async findDead(
    queue: string,
    filter: DeadLetterFilter,
    { signal, ...page }: Page & Cancellable = {},
  ): Promise<FoundDeadLetters> {
    const { offset, limit } = pageOf(page);
    await this.#shared.registry.get(queue);
    const matches = letterMatcher(filter);
    const messages: StoredMessage[] = [];
    let count = 0;
    await this.#browse(
      queue,
      (channel) =>
        ackSome(channel, deadQueue(queue), this.#shared.clock, async (incoming) => {
          signal?.throwIfAborted();
          const message = fromIncoming(incoming, false, this.#shared.clock.now());
          if (!matches(message)) return false;
          if (count >= offset && messages.length < limit) messages.push(toStored(message, 'dead'));
          count++;
          return false;
        }),
      signal,
    );
    return { count, messages };
  }

  redrive(queue: string, which?: DeadLetterChoice, how?: Cancellable): Promise<number> {
    return this.#takeDead(queue, which, how, (message) =>
      this.#shared.publishToLane(queue, { ...message, attempts: 0 }),
    );
  }

  discard(queue: string, which?: DeadLetterChoice, how?: Cancellable): Promise<number> {
    return this.#takeDead(queue, which, how, async () => {});
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    const consumers = [...this.#local.values()].flatMap((queue) => [...queue.consumers]);
    await Promise.all(consumers.map((consumer) => consumer.close()));
    this.#isClosed = true;
    this.#shared.charges.close();
    await this.#shared.registry.close();
    await this.#closeConnections();
  }

  #of(queue: string): LocalQueue {
    const known = this.#local.get(queue);
    if (known) return known;
    const { clock } = this.#shared;
    const limit = new LengthLimit(clock, async () => {
      const { ready, delayed } = await this.#counts(queue);
      return ready.high + ready.normal + delayed;
    });
    const local = {
      consumers: new Set<RabbitConsumer>(),
      prefetch: new AdaptivePrefetch(),
      limit,
      browsing: new Slots(1),
    };
    this.#local.set(queue, local);
    return local;
  }

  /** Runs `work` on a channel of its own, one call at a time. */
  async #browse<T>(queue: string, work: (channel: Channel) => Promise<T>, signal?: AbortSignal): Promise<T> {
    try {
      return await this.#of(queue).browsing.run(() => this.#shared.connection.withChannel(work));
    } catch (error) {
      // The caller left, which is no fault of the server.
      signal?.throwIfAborted();
      throw error;
    }
  }

  async #getAndRequeue(
    channel: Channel,
    from: string,
    count: number,
    isHigh: boolean,
  ): Promise<RabbitMessage[]> {
    if (count === 0) return [];
    const taken = await getFirst(channel, from, count);
    const now = this.#shared.clock.now();
    const seen = taken.map((incoming) => fromIncoming(incoming, isHigh, now));
    await requeue(channel, from, taken, this.#shared.clock);
    return seen;
  }

  async #counts(queue: string) {
    const { delays, hasInbox } = await this.#shared.registry.get(queue);
    return this.#shared.connection.withChannel(async (channel) => {
      const ready = {
        high: await countReady(channel, this.#shared.laneQueue(queue, 'high')),
        normal: await countReady(channel, this.#shared.laneQueue(queue, 'normal')),
      };
      if (hasInbox) ready.normal += await countReady(channel, queue);
      let delayed = 0;
      for (const step of delays) delayed += await countReady(channel, delayQueue(queue, step));
      return { ready, delayed, dead: await countReady(channel, deadQueue(queue)) };
    });
  }

  async #status(queue: string): Promise<QueueStatus> {
    const { paused, maxLength, broken } = await this.#shared.registry.getEvenBroken(queue);
    const nothing = { name: queue, ready: { high: 0, normal: 0 }, delayed: 0, inFlight: 0, dead: 0 };
    const ifBroken = (reason: string) => ({ ...nothing, oldestAt: null, paused, maxLength, broken: reason });
    if (broken !== null) return ifBroken(broken);
    const { consumers, browsing } = this.#of(queue);
    const counting = browsing.run(async () => {
      const { ready, delayed, dead } = await this.#counts(queue);
      const inFlight = [...consumers].reduce((sum, consumer) => sum + consumer.inFlight, 0);
      const oldest = await this.#shared.connection.withChannel(async (channel) => [
        await this.#shared.headTimestamps.publishedAt(
          channel,
          this.#shared.laneQueue(queue, 'high'),
          ready.high,
        ),
        await this.#shared.headTimestamps.publishedAt(
          channel,
          this.#shared.laneQueue(queue, 'normal'),
          ready.normal,
        ),
      ]);
      const oldestAt = oldest
        .filter((at) => at !== null)
        .reduce<number | null>((a, b) => Math.min(a ?? b, b), null);
      return { name: queue, ready, delayed, inFlight, dead, oldestAt, paused, maxLength };
    });
    return counting.catch((error: unknown) => {
      if (serverCode(error) !== 'NOT_FOUND') throw error;
      return ifBroken(
        `One of its queues in RabbitMQ was deleted (${messageOf(error)}). Pismak creates it again by itself.`,
      );
    });
  }

  /** Acks dead letters (all, these ids, or those that match) once `keep` has stored them, and requeues the others. */
  async #takeDead(
    queue: string,
    which: DeadLetterChoice | undefined,
    { signal }: Cancellable = {},
    keep: (message: RabbitMessage) => Promise<void>,
  ): Promise<number> {
    await this.#shared.registry.get(queue);
    const isChosen = chosenBy(which);
    const taken = await this.#browse(
      queue,
      (channel) =>
        ackSome(channel, deadQueue(queue), this.#shared.clock, async (incoming) => {
          signal?.throwIfAborted();
          const message = fromIncoming(incoming, false, this.#shared.clock.now());
          if (!isChosen(message)) return false;
          await keep(message);
          return true;
        }),
      signal,
    );
    this.changed(queue);
    return taken;
  }
}
