import { type TestContext, test } from 'node:test';
import type { Broker, Delivery } from '../../broker.ts';
import { BrokerProcess, type ProcessMode } from './broker-process.ts';

/** What an adapter provides to the contract: one store, empty at first. */
export interface BrokerSetup {
  /** Opens the store. Called again after the broker is closed (a restart) or its process is killed. */
  open(options?: { maxMessageBytes?: number }): Promise<Broker>;
  now(): number;
  /** Lets time pass: a manual clock jumps, a real one waits. */
  pass(ms: number): Promise<void>;
  /** A delay that cannot end before `pass` is called, however slow the test is. Default: 100 ms. */
  laterMs?: number;
  /** The clock cannot jump: the test waits for delayed messages before it goes on. */
  isRealTime?: boolean;
  /** Resolves when the store has noticed killed processes. Needed by stores with leases. */
  noticeKilled?(): Promise<void>;
  /** How another process opens the same store: `module[factory]({ ...options, clock })`. */
  process: { module: URL; factory: string; options: Record<string, unknown> };
  /** Whether a message that comes back returns exactly to its place. */
  keepsPlaces: boolean;
}

export type Prepare = (test: TestContext) => Promise<BrokerSetup>;
export type Claim = (name: string, body: (scene: Scene) => Promise<void>) => void;

/** Makes the function with which the parts of the contract declare tests. Everything a test opened is closed after it. */
export function claimsOf(prepare: Prepare): Claim {
  return (name, body) => {
    test(name, { timeout: 180_000 }, async (context) => {
      const scene = new Scene(await prepare(context));
      try {
        await scene.start();
        await body(scene);
      } finally {
        await scene.close();
      }
    });
  };
}

/** A store, the broker that is open on it, and processes that use it. */
export class Scene {
  readonly setup: BrokerSetup;
  #broker: Broker | undefined;
  #processes: BrokerProcess[] = [];

  constructor(setup: BrokerSetup) {
    this.setup = setup;
  }

  get broker(): Broker {
    if (!this.#broker) throw new Error('no broker is open');
    return this.#broker;
  }

  async start(options?: { maxMessageBytes?: number }): Promise<Broker> {
    this.#broker = await this.setup.open(options);
    return this.#broker;
  }

  async stop(): Promise<void> {
    await this.#broker?.close();
    this.#broker = undefined;
  }

  async restart(options?: { maxMessageBytes?: number }): Promise<Broker> {
    await this.stop();
    return this.start(options);
  }

  /** Another process on the same store. Stop an embedded adapter first. */
  spawn(mode: ProcessMode, ...parameters: string[]): BrokerProcess {
    const child = new BrokerProcess(this.setup.process, mode, parameters);
    this.#processes.push(child);
    return child;
  }

  async close(): Promise<void> {
    await Promise.all(this.#processes.map((child) => child.kill()));
    await this.stop();
  }
}

export function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

export function text(body: Uint8Array): string {
  return new TextDecoder().decode(body);
}

/** Publishes one message after the other. Ids that start with `high` go to the high lane. */
export async function publishAll(broker: Broker, queue: string, ids: readonly string[]): Promise<void> {
  for (const id of ids) {
    await broker.publish(queue, { id, body: bytes(id), lane: id.startsWith('high') ? 'high' : 'normal' });
  }
}

/** Starts exactly one message and settles it with `settle`. */
export async function takeOne(
  broker: Broker,
  queue: string,
  settle: (delivery: Delivery) => Promise<void> = (delivery) => delivery.ack(),
): Promise<Delivery> {
  const taken = Promise.withResolvers<Delivery>();
  const consuming = broker.consume(queue, { concurrency: 1 }, async (delivery) => {
    void consuming.then((consumer) => consumer.close());
    await settle(delivery);
    taken.resolve(delivery);
  });
  const delivery = await taken.promise;
  await (await consuming).close();
  return delivery;
}

/** Consumes and acks, by default one at a time, until `count` messages have come. */
export async function drain(
  broker: Broker,
  queue: string,
  count: number,
  concurrency = 1,
  options: { prefetch?: number } = {},
): Promise<Delivery[]> {
  const found: Delivery[] = [];
  const all = Promise.withResolvers<void>();
  if (count === 0) return [];
  const consumer = await broker.consume(queue, { concurrency, ...options }, async (delivery) => {
    await delivery.ack();
    if (found.push(delivery) === count) all.resolve();
  });
  await all.promise;
  await consumer.close();
  return found;
}

export function idsOf(messages: readonly { id: string }[]): string[] {
  return messages.map((message) => message.id);
}

export function numbered(prefix: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${prefix}${index}`);
}
