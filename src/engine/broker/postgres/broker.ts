import type { PostgresCluster } from '../../database/postgres/cluster.ts';
import {
  LastingConnection,
  type LastingConnectionOptions,
} from '../../database/postgres/lasting-connection.ts';
import { prepareSchema } from '../../database/postgres/schema.ts';
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
import { checkConsumeOptions, checkMessage } from '../checks.ts';
import { Administration } from './administration.ts';
import { Claims } from './claims.ts';
import { Floors } from './floors.ts';
import { Lease } from './lease.ts';
import { readNotice } from './notices.ts';
import { Publisher, unknown } from './publisher.ts';
import { PostgresQueue } from './queue.ts';
import { QueueChanges } from './queue-changes.ts';
import { channel, schema } from './schema.ts';
import { Upkeep } from './upkeep.ts';

/** Tables that are empty one moment and full the next mislead the planner: an index scan is never far from the best plan. */
export const settings = {
  search_path: 'pismak_broker',
  plan_cache_mode: 'force_generic_plan',
  enable_seqscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  enable_bitmapscan: 'off',
  enable_sort: 'off',
  jit: 'off',
};

export interface PostgresBrokerSettings {
  clock: Clock;
  leaseMs: number;
  maxMessageBytes: number;
}

export class PostgresBroker implements Broker {
  readonly #settings: PostgresBrokerSettings;
  readonly #control: LastingConnection;
  readonly #lease: Lease;
  readonly #publisher: Publisher;
  readonly #claims: Claims;
  readonly #upkeep: Upkeep;
  readonly #administration: Administration;
  readonly #changes: QueueChanges;
  readonly #queues: Map<string, PostgresQueue>;
  readonly #floors: Floors;
  #closed: Promise<void> | undefined;

  /** Three connections: one publishes, one claims and settles, one (`control`) listens and does everything that is rare. */
  static async open(nodes: PostgresCluster, settings: PostgresBrokerSettings): Promise<PostgresBroker> {
    const queues = new Map<string, PostgresQueue>();
    const floors = new Floors();
    const control = new LastingConnection(nodes, {
      ...connectionOptions(settings),
      listen: channel,
      onNotice: (payload) => {
        const notice = readNotice(payload);
        const queue = notice && queues.get(notice.queue);
        if (notice) floors.lower(notice.queue, notice.first);
        if (notice?.kind === 'changed') queue?.refresh();
        else queue?.wake(notice?.kind === 'high');
      },
      onConnect: () => {
        floors.forget();
        for (const queue of queues.values()) queue.wake(true);
      },
    });
    try {
      await prepareSchema(control, schema);
      const lease = await Lease.take(control, settings.leaseMs);
      return new PostgresBroker({ nodes, settings, control, lease, queues, floors });
    } catch (error) {
      await control.close();
      throw error;
    }
  }

  private constructor(parts: {
    nodes: PostgresCluster;
    settings: PostgresBrokerSettings;
    control: LastingConnection;
    lease: Lease;
    queues: Map<string, PostgresQueue>;
    floors: Floors;
  }) {
    const { nodes, settings, control, lease, queues, floors } = parts;
    const { clock, leaseMs } = settings;
    this.#settings = settings;
    this.#control = control;
    this.#lease = lease;
    this.#queues = queues;
    this.#floors = floors;
    const process = () => lease.number;
    const wake = (queue: string, high: boolean, first: number) => {
      floors.lower(queue, first);
      queues.get(queue)?.wake(high);
    };
    this.#publisher = new Publisher(new LastingConnection(nodes, connectionOptions(settings)), process, wake);
    this.#claims = new Claims({
      connection: new LastingConnection(nodes, connectionOptions(settings)),
      clock,
      lease,
      queues,
      floors,
    });
    lease.onReplaced = () => this.#claims.forget();
    this.#administration = new Administration(control, floors);
    this.#changes = new QueueChanges(control, this.#administration, process);
    this.#upkeep = new Upkeep({
      connection: control,
      clock,
      lease,
      leaseMs,
      wake,
      review: () => {
        floors.review(clock.now());
        for (const queue of queues.values()) queue.review();
        this.#claims.checkAll();
      },
      finishRemoval: (number) => this.#changes.finishRemoval(number),
    });
    this.#upkeep.start();
  }

  async declare(name: string, options: QueueOptions = {}): Promise<void> {
    checkName(name);
    await this.#changes.declare(name, options);
  }

  async remove(name: string): Promise<void> {
    await this.#whileHeld(name, () => this.#changes.remove(name));
  }

  async publish(queue: string, message: OutgoingMessage): Promise<void> {
    const headers = checkMessage(message, this.#settings.maxMessageBytes);
    if (queue.includes('\0')) throw unknown(queue);
    if (message.id.includes('\0'))
      throw new PismakError('invalid-input', 'The id of a message must not contain NUL.');
    // A copy: the sender may use its buffer again at once.
    const body = new Uint8Array(message.body);
    const high = message.lane === 'high';
    const published = this.#publisher.publish({ queue, high, id: message.id, headers, body });
    await Promise.all([published, this.#claims.chargesWritten()]);
  }

  async consume(name: string, options: ConsumeOptions, handler: DeliveryHandler): Promise<Consumer> {
    checkConsumeOptions(options);
    if (this.#closed) throw new PismakError('unavailable', 'The broker is closing.');
    await this.#administration.find(name);
    return this.#queue(name).consume(options, handler);
  }

  status(): Promise<QueueStatus[]>;
  status(name: string): Promise<QueueStatus>;
  async status(name?: string): Promise<QueueStatus | QueueStatus[]> {
    await this.#claims.flushed();
    if (name === undefined) return this.#administration.status(null);
    await this.#administration.find(name);
    const [status] = await this.#administration.status(name);
    if (!status) throw unknown(name);
    return status;
  }

  async pause(name: string): Promise<void> {
    await this.#whileHeld(name, () => this.#changes.setPaused(name, true));
  }

  async resume(name: string): Promise<void> {
    await this.#whileHeld(name, () => this.#changes.setPaused(name, false));
  }

  async peek(name: string, page?: Page): Promise<StoredMessage[]> {
    await this.#claims.flushed();
    return this.#administration.peek(name, page);
  }

  whichExist(names: readonly string[]): Promise<string[]> {
    return this.#administration.whichExist(names);
  }

  async purge(name: string): Promise<number> {
    return this.#whileHeld(name, () => this.#changes.purge(name));
  }

  async dead(name: string, page?: Page): Promise<StoredMessage[]> {
    await this.#claims.flushed();
    return this.#administration.dead(name, page);
  }

  async findDead(
    name: string,
    filter: DeadLetterFilter,
    page?: Page & Cancellable,
  ): Promise<FoundDeadLetters> {
    await this.#claims.flushed();
    return this.#administration.findDead(name, filter, page);
  }

  async redrive(name: string, which?: DeadLetterChoice, how?: Cancellable): Promise<number> {
    await this.#claims.flushed();
    try {
      return await this.#changes.redrive(name, which, how);
    } finally {
      // Even if it was stopped: some letters are back.
      this.#floors.lower(name, 0);
      this.#queues.get(name)?.wake(true);
    }
  }

  async discard(name: string, which?: DeadLetterChoice, how?: Cancellable): Promise<number> {
    await this.#claims.flushed();
    return this.#changes.discard(name, which, how);
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  #queue(name: string): PostgresQueue {
    const { clock } = this.#settings;
    const known = this.#queues.get(name);
    const queue =
      known ?? new PostgresQueue(name, { claims: this.#claims, timer: this.#upkeep.timer, clock });
    this.#queues.set(name, queue);
    return queue;
  }

  /** Runs `change` while no message of the queue is fetched ahead here, and the server knows which have started. */
  async #whileHeld<T>(name: string, change: () => Promise<T>): Promise<T> {
    const release = this.#queues.get(name)?.hold();
    try {
      await this.#claims.flushed();
      return await change();
    } finally {
      release?.();
    }
  }

  async #close(): Promise<void> {
    await Promise.all([...this.#queues.values()].map((queue) => queue.closeConsumers()));
    await this.#upkeep.close();
    await this.#claims.close();
    await this.#publisher.close();
    // If the server is away, the lease expires by itself.
    await this.#lease.end().catch(() => {});
    await this.#control.close();
  }
}

function connectionOptions({ clock, leaseMs }: PostgresBrokerSettings): LastingConnectionOptions {
  return { clock, patienceMs: Math.max(leaseMs, 5000), settings };
}

function checkName(name: string): void {
  if (name !== '' && name.length <= 255 && name.isWellFormed() && !name.includes('\0')) return;
  throw new PismakError(
    'invalid-input',
    'The name of a queue must have 1 to 255 characters, none of them NUL.',
  );
}
