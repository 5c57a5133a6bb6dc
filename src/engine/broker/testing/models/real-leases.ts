import { eventually } from '../../../testing/eventually.ts';
import type { Broker, Delivery } from '../../broker.ts';

export const queue = 'letters';

/** A real broker as the model sees it: one empty queue, and a process for each consumer. */
export interface RealLeases {
  broker(who: number): Broker;
  /** Resolves when the attempts of running messages are on disk. */
  chargesWritten(who: number): Promise<void>;
  /** Deletes the lease of a consumer without telling it. */
  sweepLease?(who: number): Promise<void>;
  /** Resolves when a consumer that lost its lease has a new one. */
  beganAgain?(who: number): Promise<void>;
  /** `kill -9`, then starts another process in its place. */
  kill(who: number): Promise<void>;
  /** Runs the periodic upkeep of a consumer once. */
  upkeep(who: number): Promise<void>;
  /** Makes every delayed message due. The next upkeep promotes it. */
  makeDue(): Promise<void>;
  close(): Promise<void>;
}

/** A delivery whose handler waits. */
interface Running {
  delivery: Delivery;
  finish(): void;
}

/** The handlers of all consumers, each holding its message until the test settles it. */
export class Handlers {
  readonly leases: RealLeases;
  readonly #running = new Map<number, Running[]>();
  /** Handlers of killed consumers. They run in this process, so nothing can stop them before the end. */
  #lost: Running[] = [];

  constructor(leases: RealLeases) {
    this.leases = leases;
  }

  /** Starts exactly one message. */
  async take(who: number): Promise<Delivery> {
    let taken: Running | undefined;
    const consuming = this.leases.broker(who).consume(queue, { concurrency: 1, prefetch: 1 }, (delivery) => {
      const finished = Promise.withResolvers<void>();
      taken = { delivery, finish: finished.resolve };
      void consuming.then((consumer) => consumer.close());
      return finished.promise;
    });
    await consuming;
    const running = await eventually('a message is delivered', () => taken);
    this.#running.set(who, [...this.#of(who), running]);
    return running.delivery;
  }

  /** Returns the delivery at `index` among those the consumer still holds. */
  give(who: number, index: number): Running {
    const [running] = this.#of(who).splice(index, 1);
    if (!running) throw new Error(`consumer ${who} has no delivery ${index}`);
    return running;
  }

  async kill(who: number): Promise<void> {
    this.#lost.push(...this.#of(who));
    this.#running.delete(who);
    await this.leases.kill(who);
  }

  async close(): Promise<void> {
    for (const { finish } of [...this.#lost, ...[...this.#running.values()].flat()]) finish();
    await this.leases.close();
  }

  #of(who: number): Running[] {
    return this.#running.get(who) ?? [];
  }
}
