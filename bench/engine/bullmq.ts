import { Queue, Worker } from 'bullmq';
import type { RedisServer } from './redis-server.ts';
import { bodyBytes, type Contender, inWindow, jobs, secondsSince } from './work.ts';

/** Jobs in one addBulk, and concurrent single adds. Neither 100 nor all at once was faster. */
const window = 1000;

type Enqueue = (queue: Queue) => Promise<unknown>;

const data = 'x'.repeat(bodyBytes);
const single: Enqueue = (queue) =>
  inWindow(jobs, window, (index) => queue.add('job', data, { jobId: `job-${index}` }));
const bulk: Enqueue = async (queue) => {
  for (let from = 0; from < jobs; from += window) {
    const some = Array.from({ length: window }, (_, index) => ({
      name: 'job',
      data,
      opts: { jobId: `job-${from + index}` },
    }));
    await queue.addBulk(some);
  }
};

/** BullMQ with its worker in our process; finished jobs are removed, as ours are. */
export function bullmq(redis: RedisServer, durability: string): Contender[] {
  const promise = `Redis with AOF ${durability}; a slot fetches its next job with the ack of the last (no other read-ahead)`;
  return [
    {
      name: `BullMQ AOF ${durability}, add`,
      terms: `${promise}; ${window} single adds at a time`,
      run: run(single),
    },
    { name: `BullMQ AOF ${durability}, addBulk`, terms: `${promise}; addBulk of ${window}`, run: run(bulk) },
  ];

  function run(enqueue: Enqueue) {
    return async (concurrency: number) => {
      const connection = { host: '127.0.0.1', port: redis.port, maxRetriesPerRequest: null };
      const name = `jobs-${performance.now()}`;
      const queue = new Queue(name, { connection, defaultJobOptions: { removeOnComplete: true } });
      const worker = new Worker(name, async () => {}, { connection, concurrency });
      await Promise.all([queue.waitUntilReady(), worker.waitUntilReady()]);
      const all = Promise.withResolvers<void>();
      let done = 0;
      worker.on('completed', () => {
        if (++done === jobs) all.resolve();
      });
      worker.on('error', all.reject);
      const start = performance.now();
      await Promise.all([enqueue(queue), all.promise]);
      const endToEnd = secondsSince(start);
      await worker.close();
      await queue.obliterate({ force: true });
      await queue.close();
      return { 'end to end': endToEnd };
    };
  }
}
