import { randomUUID } from 'node:crypto';
import type { Channel } from 'rabbitmq-client';
import { parseJson } from '../../ground/json.ts';
import type { Clock } from '../../time/clock.ts';
import { type RabbitConnection, serverCode } from './connection.ts';
import type { Publisher } from './publisher.ts';

const prefetch = 500;
const quietMs = 10_000;

/** Where to start reading, as in the argument `x-stream-offset`: `first`, the offset of a record, or an age such as `60s`. */
export type Offset = 'first' | number | `${number}s`;

/** JSON records in a server stream: replicated, kept after reading, open to any number of readers. */
export class RecordStream {
  readonly #name: string;
  readonly #publisher: Publisher;
  readonly #connection: RabbitConnection;
  readonly #clock: Clock;

  constructor(name: string, publisher: Publisher, connection: RabbitConnection, clock: Clock) {
    this.#clock = clock;
    this.#name = name;
    this.#publisher = publisher;
    this.#connection = connection;
  }

  /** An existing stream keeps the limits that it has. */
  async declare(limits: Record<string, string | number> = {}): Promise<void> {
    const create = (settings: typeof limits) =>
      this.#connection.withChannel((channel) =>
        channel.queueDeclare({
          queue: this.#name,
          durable: true,
          arguments: { 'x-queue-type': 'stream', ...settings },
        }),
      );
    await create(limits).catch((error: unknown) => {
      if (serverCode(error) !== 'PRECONDITION_FAILED') throw error;
      return create({});
    });
  }

  append(record: object): Promise<void> {
    const envelope = { routingKey: this.#name, mandatory: true, durable: true };
    return this.#publisher.send(this.#name, '', envelope, Buffer.from(JSON.stringify(record)));
  }

  /** Reads every record appended before now, from `offset` on. Fails if nothing comes for a while. */
  async read(offset: Offset, onRecord: (record: unknown) => void): Promise<void> {
    const marker = randomUUID();
    await this.append({ marker });
    await this.#connection.withChannel(async (channel) => {
      const seen = Promise.withResolvers<void>();
      channel.on('close', () => seen.reject(new Error('the connection was lost')));
      let isQuiet = false;
      let cancel = () => {};
      const watch = () => {
        if (isQuiet) seen.reject(new Error(`the stream ${this.#name} does not answer`));
        isQuiet = true;
        cancel = this.#clock.after(quietMs, watch);
      };
      watch();
      const following = this.follow(channel, offset, (record) => {
        isQuiet = false;
        if (isMarker(record, marker)) seen.resolve();
        else onRecord(record);
      });
      try {
        await Promise.all([following, seen.promise]);
      } finally {
        cancel();
      }
    });
  }

  /** Calls back with all records from `offset` on, present and future, while the channel is open. */
  async follow(
    channel: Channel,
    offset: Offset,
    onRecord: (record: unknown, offset: number) => void,
  ): Promise<void> {
    await channel.basicQos({ prefetchCount: prefetch });
    const request = { queue: this.#name, arguments: { 'x-stream-offset': offset } };
    let last = 0;
    // Records that came together share an ack: one for each would cost more than the record.
    const ack = () => {
      if (channel.active) channel.basicAck({ deliveryTag: last, multiple: true });
      last = 0;
    };
    await channel.basicConsume(request, (message) => {
      if (!channel.active) return;
      if (last === 0) setImmediate(ack);
      last = message.deliveryTag;
      onRecord(parseJson(String(message.body)), Number(message.headers?.['x-stream-offset']));
    });
  }
}

export function isMarker(record: unknown, marker: string): boolean {
  return typeof record === 'object' && record !== null && 'marker' in record && record.marker === marker;
}
