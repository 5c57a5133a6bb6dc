import type { Broker } from '../../src/engine/broker/broker.ts';
import { bodyBytes, inWindow, jobs, secondsSince, Tally, type Timings } from './work.ts';

const body = new Uint8Array(bodyBytes).fill(120);

/** Our brokers' part of a contest, on an existing empty queue. */
export async function runPismak(
  broker: Broker,
  queue: string,
  options: { concurrency: number; prefetch?: number; window?: number; onJob?: () => void },
): Promise<Timings> {
  const start = performance.now();
  await Promise.all([publish(broker, queue, jobs, options.window), drain(broker, queue, jobs, options)]);
  const endToEnd = secondsSince(start);
  const again = performance.now();
  await publish(broker, queue, jobs, options.window);
  const enqueue = secondsSince(again);
  const begunAt = await drain(broker, queue, jobs, options);
  return { 'end to end': endToEnd, enqueue, work: secondsSince(begunAt) };
}

/** Publishes `count` messages, at most `window` at a time. */
export function publish(broker: Broker, queue: string, count: number, window = jobs): Promise<void> {
  return inWindow(count, window, (index) => broker.publish(queue, { id: `job-${index}`, body }));
}

/** Handles exactly `count` messages. Resolves when the last ack is durable, to the time when the first was started. */
export async function drain(
  broker: Broker,
  queue: string,
  count: number,
  options: { concurrency: number; prefetch?: number; onJob?: () => void },
): Promise<number> {
  const acks: Promise<void>[] = [];
  const tally = new Tally(count);
  const { concurrency, prefetch, onJob } = options;
  const consumer = await broker.consume(
    queue,
    { concurrency, ...(prefetch !== undefined && { prefetch }) },
    async (delivery) => {
      acks.push(delivery.ack());
      onJob?.();
      tally.add();
      // At once, so that not one more is started.
      if (acks.length === count) void consumer.close();
    },
  );
  await tally.finished;
  await Promise.all(acks);
  return tally.begunAt;
}
