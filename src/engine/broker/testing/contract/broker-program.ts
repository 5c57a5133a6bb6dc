import { systemClock } from '../../../time/clock.ts';
import type { Broker } from '../../broker.ts';

/**
 * A program that the contract starts and kills. It prints a line for each thing that it knows to be durable:
 *
 *     node broker-program.ts MODULE FACTORY OPTIONS MODE PARAMETERS...
 */
const [module = '', factory = '', options = '{}', mode = '', ...parameters] = process.argv.slice(2);
// The parent holds the other end of stdin: when the parent is gone, this process exits.
process.stdin.on('close', () => process.exit()).resume();
const opened = await import(module);
const broker: Broker = await opened[factory]({ ...JSON.parse(options), clock: systemClock });

const modes: Record<string, (...parameters: string[]) => Promise<void>> = {
  publish,
  consume,
  hold,
  fill,
  redrive,
};
await modes[mode]?.(...parameters);

/** Publishes `window` messages at a time, up to `count` if given, and prints which are confirmed. */
async function publish(queue: string, prefix: string, window: string, count = 'Infinity'): Promise<void> {
  let next = 0;
  await Promise.all(
    Array.from({ length: Number(window) }, async () => {
      while (next < Number(count)) {
        const id = `${prefix}${next++}`;
        await say(`publishing ${id}`);
        await broker.publish(queue, { id, body: Buffer.from(`body of ${id}`) });
        await say(`confirmed ${id}`);
      }
    }),
  );
  process.exit();
}

/** Acks every message, and prints when a message starts and when its ack is durable. */
async function consume(queue: string, concurrency: string): Promise<void> {
  await broker.consume(queue, { concurrency: Number(concurrency) }, async (delivery) => {
    await say(`acking ${delivery.id}`);
    await delivery.ack();
    await say(`acked ${delivery.id}`);
  });
}

/** Starts one message, does something durable, prints that, and never finishes. */
async function hold(queue: string, marks: string): Promise<void> {
  await broker.consume(queue, { concurrency: 1, prefetch: 10 }, async (delivery) => {
    await broker.publish(marks, { id: `mark of ${delivery.id}`, body: new Uint8Array() });
    await say(`${delivery.id} ${delivery.attempt}`);
    await new Promise(() => {});
  });
}

/** Redrives the dead letters that failed for this reason, and prints when it begins and ends. */
async function redrive(queue: string, reason: string): Promise<void> {
  const redriving = broker.redrive(queue, { reason });
  await say('redriving');
  await redriving;
  await say('redriven');
}

/** Fills the queue with `few` and then up to `many` messages of 1 KB, and prints its memory in bytes after each. */
async function fill(queue: string, few: string, many: string): Promise<void> {
  await broker.consume(queue, { concurrency: 10 }, () => new Promise(() => {}));
  const body = new Uint8Array(4096);
  let published = 0;
  for (const goal of [Number(few), Number(many)]) {
    while (published < goal) {
      await Promise.all(
        Array.from({ length: 1000 }, () => broker.publish(queue, { id: `m${published++}`, body })),
      );
    }
    // Buffers are freed a turn after the collector finds them.
    for (let turn = 0; turn < 5; turn++) {
      globalThis.gc?.();
      await new Promise(setImmediate);
    }
    const { heapUsed, external, rss } = process.memoryUsage();
    await say(`${heapUsed + external} ${rss}`);
  }
}

function say(line: string): Promise<void> {
  return new Promise((resolve) => process.stdout.write(`${line}\n`, () => resolve()));
}
