import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Broker } from '../../src/engine/broker/broker.ts';
import { openSqliteBroker } from '../../src/engine/broker/sqlite.ts';
import { systemClock } from '../../src/engine/time/clock.ts';
import { drain, publish } from './pismak.ts';
import { scratchDirectory } from './scratch.ts';
import { type Contender, jobs, secondsSince } from './work.ts';

export const embedded: Contender = {
  name: 'Pismak embedded',
  terms:
    'SQLite, synchronous=FULL: each publish and ack is on disk before it is confirmed. All publishes at once, committed in groups of ' +
    'up to 250; reads up to 500 messages ahead',
  run: (concurrency) =>
    withBroker(async (broker) => {
      await broker.declare('jobs');
      const start = performance.now();
      await Promise.all([publish(broker, 'jobs', jobs), drain(broker, 'jobs', jobs, { concurrency })]);
      return { 'end to end': secondsSince(start) };
    }),
};

/** Three queues in a row, as stages are served: publish on, wait until that is durable, ack without waiting. */
export function pipeline(concurrency: number): Promise<number> {
  return withBroker(async (broker) => {
    const queues = ['first', 'second', 'third'];
    for (const queue of queues) await broker.declare(queue);
    for (const [index, queue] of queues.slice(0, -1).entries()) {
      const next = queues[index + 1] ?? '';
      await broker.consume(queue, { concurrency }, async (delivery) => {
        await broker.publish(next, { id: delivery.id, body: delivery.body });
        void delivery.ack();
      });
    }
    const start = performance.now();
    await Promise.all([publish(broker, 'first', jobs), drain(broker, 'third', jobs, { concurrency })]);
    return secondsSince(start);
  });
}

export async function withBroker<T>(work: (broker: Broker) => Promise<T>): Promise<T> {
  const directory = scratchDirectory();
  const broker = await openSqliteBroker({ file: join(directory, 'queues.db'), clock: systemClock });
  try {
    return await work(broker);
  } finally {
    await broker.close();
    await rm(directory, { recursive: true, force: true });
  }
}
