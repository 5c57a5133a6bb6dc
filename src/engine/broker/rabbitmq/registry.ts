import { randomUUID } from 'node:crypto';
import { type Clock, sleep } from '../../time/clock.ts';
import { endsWithin } from '../../time/deadline.ts';
import { queueBroken, queueUnknown, type RabbitConnection } from './connection.ts';
import { type Change, type KnownQueue, QueueBook } from './queue-book.ts';
import { isMarker, type RecordStream } from './record-stream.ts';
import { queueExists } from './server-queues.ts';

const againMs = 500;
/** How many recent records to remember as seen. */
const rememberedRecords = 10_000;
const quietMs = 10_000;

/** The server deletes the oldest records. Between two snapshots there is room for far more of them. */
export const registryLimits = {
  'x-max-length-bytes': 20_000_000,
  'x-stream-max-segment-size-bytes': 2_000_000,
};
const usualSnapshotEvery = 1000;

/**
 * The queues, and what the server cannot keep about them: it has no list for clients, no pause, and no limits that can
 * change. Kept in a stream that every process follows, so all processes obey a pause at once. The stream is bounded
 * (`registryLimits`): now and then a process appends a snapshot.
 */
export class Registry {
  readonly #stream: RecordStream;
  readonly #connection: RabbitConnection;
  readonly #clock: Clock;
  readonly #book = new QueueBook();
  readonly #snapshotEvery: number;
  readonly #onChange: (queue: string) => void;
  readonly #closing = new AbortController();
  readonly #waiting = new Map<string, () => void>();
  readonly #seenMarkers = new Set<string>();
  #resubscribe = () => {};
  #following: Promise<void> | undefined;

  constructor(
    stream: RecordStream,
    connection: RabbitConnection,
    clock: Clock,
    onChange: (queue: string) => void,
    snapshotEvery = usualSnapshotEvery,
  ) {
    this.#snapshotEvery = snapshotEvery;
    this.#stream = stream;
    this.#connection = connection;
    this.#clock = clock;
    this.#onChange = onChange;
  }

  async open(): Promise<void> {
    this.#following = this.#follow();
    await this.sync();
  }

  names(): string[] {
    return [...this.#book.queues.keys()].sort();
  }

  /** The queues that the server refuses, and why. */
  broken(): Map<string, string> {
    return new Map(
      [...this.#book.queues].flatMap(([queue, { broken }]) => (broken === null ? [] : [[queue, broken]])),
    );
  }

  find(queue: string): KnownQueue | undefined {
    return this.#book.queues.get(queue);
  }

  /** Fails with `queue-unknown` only after reading all changes, and with `queue-broken` if the server can't have it. */
  async get(queue: string): Promise<KnownQueue> {
    const known = await this.getEvenBroken(queue);
    if (known.broken !== null) throw queueBroken(queue, known.broken);
    return known;
  }

  async getEvenBroken(queue: string): Promise<KnownQueue> {
    // Sync only for existing queues: questions about made-up names must not grow the stream.
    if (!this.#book.queues.has(queue) && (await queueExists(this.#connection, queue))) await this.sync();
    const known = this.#book.queues.get(queue);
    if (!known) throw queueUnknown(queue);
    return known;
  }

  /** Resolves when the change is durable and known here. */
  change(one: Change): Promise<void> {
    return this.#append(one);
  }

  /** Waits until all earlier changes by other processes are known here. */
  sync(): Promise<void> {
    return this.#append({});
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#resubscribe();
    for (const resolve of this.#waiting.values()) resolve();
    await this.#following;
  }

  /** We read our own changes from the stream, like every process, so all processes see the same order. */
  async #append(record: object): Promise<void> {
    const marker = randomUUID();
    const received = new Promise<void>((resolve) => this.#waiting.set(marker, resolve));
    try {
      await this.#stream.append({ ...record, marker });
      // The server may forget our subscription; a new one reads everything.
      while (!(await endsWithin(this.#clock, quietMs, received))) this.#resubscribe();
    } finally {
      this.#waiting.delete(marker);
    }
  }

  async #follow(): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      try {
        await this.#connection.withChannel(async (channel) => {
          const ended = Promise.withResolvers<void>();
          this.#resubscribe = ended.resolve;
          channel.on('close', () => ended.resolve());
          const { next } = this.#book;
          const following = this.#stream.follow(channel, next === 0 ? 'first' : next, (record, offset) =>
            this.#received(record, offset),
          );
          following.catch(ended.reject);
          await ended.promise;
        }, signal);
      } catch {
        // The server is away: read the missed changes when it is back.
      }
      await sleep(this.#clock, againMs, signal);
    }
  }

  #received(record: unknown, offset: number): void {
    const changed = this.#book.take(record, offset, (marker) => !this.#wasSeen(marker));
    for (const queue of changed) this.#onChange(queue);
    for (const [marker, resolve] of this.#waiting) {
      if (!isMarker(record, marker)) continue;
      resolve();
      // Each record has one writer, so one process writes the snapshot. If it dies, the next one is soon due.
      if (offset % this.#snapshotEvery === 0) this.#writeSnapshot();
    }
  }

  #writeSnapshot(): void {
    const snapshot = this.#book.snapshot();
    if (snapshot) this.#stream.append(snapshot).catch(() => {});
  }

  /** A record resent because its confirm was lost must not undo later changes. */
  #wasSeen(marker: string | undefined): boolean {
    if (marker === undefined) return false;
    if (this.#seenMarkers.has(marker)) return true;
    this.#seenMarkers.add(marker);
    const [oldest = ''] = this.#seenMarkers;
    if (this.#seenMarkers.size > rememberedRecords) this.#seenMarkers.delete(oldest);
    return false;
  }
}
