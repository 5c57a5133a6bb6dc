import { PismakError } from '../../ground/errors.ts';
import type { Clock } from '../../time/clock.ts';
import type {
  Broker,
  Cancellable,
  ConsumeOptions,
  Consumer,
  DeadLetterChoice,
  DeadLetterFilter,
  DeliveryHandler,
  FoundDeadLetters,
  OutgoingMessage,
  Page,
  QueueOptions,
  QueueStatus,
  StoredMessage,
} from '../broker.ts';
import { checkConsumeOptions, checkMessage, pageOf } from '../checks.ts';
import { isFilter } from '../dead-letter-filter.ts';
import { DelayTimer } from '../delay-timer.ts';
import { fromSeenRow, laneNumber, type Message } from '../message-row.ts';
import type { BrokerThread } from './broker-thread.ts';
import type { DeadLetterStep, FoundStep } from './dead-letter-commands.ts';
import type { Moved } from './message-commands.ts';
import { PersistentWrites } from './persistent-writes.ts';
import { SqliteQueue } from './queue.ts';
import type { FileState } from './queue-commands.ts';

/** The most messages one command changes, so that others get their turn. */
const step = 2000;
/** Bodies are read one by one. */
const stepOf = ({ text }: DeadLetterFilter) => (text === undefined ? step : 200);

export class SqliteBroker implements Broker {
  readonly #thread: BrokerThread;
  readonly #clock: Clock;
  readonly #maxMessageBytes: number;
  readonly #timer: DelayTimer;
  readonly #writes: PersistentWrites;
  readonly #queues = new Map<string, SqliteQueue>();
  #lastSeq: number;
  #closed: Promise<void> | undefined;

  constructor(thread: BrokerThread, state: FileState, clock: Clock, maxMessageBytes: number) {
    this.#thread = thread;
    this.#clock = clock;
    this.#maxMessageBytes = maxMessageBytes;
    this.#timer = new DelayTimer(clock, () => this.#promote());
    this.#writes = new PersistentWrites(thread, clock);
    this.#lastSeq = state.lastSeq;
    for (const { counts, ...row } of state.queues) {
      this.#queues.set(row.name, new SqliteQueue(this.#shared, row, counts));
    }
    // Failed deletions are retried at the next start.
    for (const number of state.removed) this.#forget(number).catch(() => {});
    this.#promote();
  }

  async declare(name: string, options: QueueOptions = {}): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#thread.run(
        'declare',
        [name, options.maxLength],
        (row) => {
          const known = this.#queues.get(name);
          if (known) known.maxLength = row.maxLength;
          else {
            const empty = { high: 0, normal: 0, delayed: 0, dead: 0 };
            this.#queues.set(name, new SqliteQueue(this.#shared, { ...row, paused: false }, empty));
          }
          resolve();
        },
        reject,
      );
    });
  }

  async remove(name: string): Promise<void> {
    const queue = this.#queue(name);
    this.#queues.delete(name);
    const release = queue.hold();
    try {
      await this.#thread.ask('retire', queue.number);
    } catch (error) {
      this.#queues.set(name, queue);
      release();
      throw error;
    }
    // Keep the hold: remaining consumers get nothing more.
    await this.#forget(queue.number);
  }

  async publish(name: string, outgoing: OutgoingMessage): Promise<void> {
    const queue = this.#queue(name);
    const headers = checkMessage(outgoing, this.#maxMessageBytes);
    if (queue.isFull) {
      throw new PismakError(
        'queue-full',
        `Queue ${name} is full (${queue.maxLength} messages). Try again later.`,
      );
    }
    const message: Message = {
      seq: ++this.#lastSeq,
      id: outgoing.id,
      lane: outgoing.lane ?? 'normal',
      attempts: 0,
      publishedAt: Math.floor(this.#clock.now()),
      headers: { ...outgoing.headers },
      history: [],
      // A copy: the sender may reuse its buffer at once.
      body: new Uint8Array(outgoing.body),
    };
    queue.unconfirmed++;
    await new Promise<void>((resolve, reject) => {
      const { seq, id, publishedAt, body } = message;
      this.#thread.insert(
        [queue.number, laneNumber[message.lane], seq, id, publishedAt, headers],
        body,
        () => {
          queue.unconfirmed--;
          resolve();
          queue.published(message);
        },
        (error) => {
          queue.unconfirmed--;
          reject(error);
        },
      );
    });
  }

  async consume(name: string, options: ConsumeOptions, handler: DeliveryHandler): Promise<Consumer> {
    checkConsumeOptions(options);
    if (this.#closed) throw new PismakError('unavailable', 'The broker is closing.');
    return this.#queue(name).consume(options, handler);
  }

  status(): Promise<QueueStatus[]>;
  status(name: string): Promise<QueueStatus>;
  async status(name?: string): Promise<QueueStatus | QueueStatus[]> {
    if (name !== undefined) return this.#queue(name).status();
    const queues = [...this.#queues.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
    return Promise.all(queues.map((queue) => queue.status()));
  }

  pause(name: string): Promise<void> {
    return this.#setPaused(name, true);
  }

  resume(name: string): Promise<void> {
    return this.#setPaused(name, false);
  }

  async peek(name: string, page?: Page): Promise<StoredMessage[]> {
    const { offset, limit } = pageOf(page);
    const queue = this.#queue(name);
    const rows = await this.#thread.ask('peek', queue.number, queue.claimed, offset, limit);
    return rows.map(fromSeenRow);
  }

  whichExist(names: readonly string[]): Promise<string[]> {
    return this.#thread.ask('whichExist', JSON.stringify(names));
  }

  async purge(name: string): Promise<number> {
    const queue = this.#queue(name);
    const upTo = this.#lastSeq;
    const release = queue.hold();
    try {
      for (let total = 0; ; ) {
        const deleted = await new Promise<number>((resolve, reject) => {
          this.#thread.run(
            'purge',
            [queue.number, upTo, queue.claimed, step],
            (counts) => {
              queue.purged(counts);
              resolve(counts.high + counts.normal + counts.delayed);
            },
            reject,
          );
        });
        if (deleted === 0) return total;
        total += deleted;
      }
    } finally {
      release();
    }
  }

  async dead(name: string, page?: Page): Promise<StoredMessage[]> {
    const { offset, limit } = pageOf(page);
    const rows = await this.#thread.ask('dead', this.#queue(name).number, offset, limit);
    return rows.map(fromSeenRow);
  }

  async findDead(
    name: string,
    filter: DeadLetterFilter,
    { signal, ...page }: Page & Cancellable = {},
  ): Promise<FoundDeadLetters> {
    const { offset, limit } = pageOf(page);
    const { number } = this.#queue(name);
    const shown: number[] = [];
    let count = 0;
    for (let after: number | null = 0; after !== null; ) {
      signal?.throwIfAborted();
      const step: FoundStep = await this.#thread.ask(
        'findDead',
        number,
        JSON.stringify(filter),
        after,
        stepOf(filter),
      );
      const skipped = Math.max(0, offset - count);
      shown.push(...step.places.slice(skipped, skipped + limit - shown.length));
      count += step.places.length;
      after = step.last;
    }
    const rows = shown.length === 0 ? [] : await this.#thread.ask('deadAt', JSON.stringify(shown));
    return { count, messages: rows.map(fromSeenRow) };
  }

  redrive(name: string, which?: DeadLetterChoice, how?: Cancellable): Promise<number> {
    return this.#changeDead(name, 'redrive', which, how);
  }

  discard(name: string, which?: DeadLetterChoice, how?: Cancellable): Promise<number> {
    return this.#changeDead(name, 'discard', which, how);
  }

  probe(): Promise<void> {
    return this.#thread.ask('probe');
  }

  async shiftDelays(ms: number): Promise<void> {
    await this.#thread.ask('shiftDelays', Math.round(ms));
    this.#promote();
  }

  snapshot(file: string): Promise<void> {
    return this.#thread.snapshot(file);
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  get #shared() {
    return { thread: this.#thread, writes: this.#writes, timer: this.#timer, clock: this.#clock };
  }

  #queue(name: string): SqliteQueue {
    const queue = this.#queues.get(name);
    if (!queue) throw new PismakError('queue-unknown', `There is no queue ${name}. Declare it first.`);
    return queue;
  }

  async #setPaused(name: string, paused: boolean): Promise<void> {
    const queue = this.#queue(name);
    queue.setPaused(paused);
    await this.#thread.ask('pause', queue.number, paused);
  }

  async #changeDead(
    name: string,
    change: 'redrive' | 'discard',
    which?: DeadLetterChoice,
    { signal }: Cancellable = {},
  ): Promise<number> {
    const queue = this.#queue(name);
    let total = 0;
    for (let after: number | null = 0; after !== null; ) {
      signal?.throwIfAborted();
      const from: number = after;
      after = await new Promise<number | null>((resolve, reject) => {
        const done = ({ moved, last }: DeadLetterStep) => {
          for (const { lane, count, first } of moved) {
            total += count;
            queue.dead -= count;
            if (change === 'redrive') queue.returned(lane, first, count);
          }
          resolve(last);
        };
        if (isFilter(which)) {
          const filter = JSON.stringify(which);
          this.#thread.run(`${change}Matching`, [queue.number, filter, from, stepOf(which)], done, reject);
        } else {
          const ids = which ? JSON.stringify(which) : null;
          this.#thread.run(change, [queue.number, ids, from, step], done, reject);
        }
      });
    }
    return total;
  }

  #promote(): void {
    this.#thread.run(
      'promote',
      [this.#clock.now(), step],
      ({ moved, next }) => {
        for (const group of moved) this.#promoted(group);
        if (next !== null) this.#timer.expect(next);
      },
      () => this.#timer.expect(this.#clock.now() + 1000),
    );
  }

  #promoted({ queue: number, lane, first, count }: Moved): void {
    for (const queue of this.#queues.values()) {
      if (queue.number !== number) continue;
      queue.delayed -= count;
      queue.returned(lane, first, count);
    }
  }

  async #forget(number: number): Promise<void> {
    while (!(await this.#thread.ask('forget', number, step)));
  }

  async #close(): Promise<void> {
    this.#timer.close();
    this.#writes.close();
    await Promise.all([...this.#queues.values()].map((queue) => queue.closeConsumers()));
    await this.#thread.close();
  }
}
