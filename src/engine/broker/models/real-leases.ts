import { eventually } from '../../testing/eventually.ts';
import type { Broker, Delivery } from '../broker.ts';

export const queue = 'letters';

/** A real broker as the model sees it: one empty queue, and a process for each consumer. */
export interface RealLeases {
  broker(who: number): Broker;
  /** Resolves when the attempts of what runs are on disk. */
  chargesWritten(who: number): Promise<void>;
  /** The lease of a consumer goes, and nobody tells it. */
  sweepLease?(who: number): Promise<void>;
  /** Resolves when a consumer whose lease went has another. */
  beganAgain?(who: number): Promise<void>;
  /** `kill -9`, and another process in its place. */
  kill(who: number): Promise<void>;
  /** A turn of what a consumer does now and then. */
  upkeep(who: number): Promise<void>;
  /** Lets the time of everything that is delayed come; the next upkeep sees it. */
  makeDue(): Promise<void>;
  close(): Promise<void>;
}

/** A delivery whose handler waits. */
interface Running {
  delivery: Delivery;
  finish(): void;
}

/** The handlers of all consumers, each waiting with its message until told what to do with it. */
export class Handlers {
  readonly leases: RealLeases;
  readonly #running = new Map<number, Running[]>();
  /** Handlers of the killed: they go on until the end, as nobody can stop them in this process. */
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
    const running = await eventually('a message is delivered', () => taken, 30_000);
    this.#running.set(who, [...this.#of(who), running]);
    return running.delivery;
  }

  /** Hands over what the consumer took as the `index`th of those it still has. */
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
