import type { Broker } from '../../src/engine/broker/broker.ts';
import { withBroker } from './embedded.ts';
import { drain, publish } from './pismak.ts';
import { jobs, median, secondsSince } from './work.ts';

const repeats = 9;

export interface BacklogCost {
  queued: number;
  /** Microseconds per job. */
  enqueue: number;
  drain: number;
}

/**
 * The cost of a job while many others wait in the same queue: adds and handles 10,000 jobs several times, in
 * turns with the same on a second broker where few wait.
 */
export function compareBacklogs(few: number, many: number): Promise<[BacklogCost, BacklogCost]> {
  return withBroker((small) =>
    withBroker(async (large) => {
      const costs: [Costs, Costs] = [await fill(small, few), await fill(large, many)];
      for (let repeat = 0; repeat < repeats; repeat++) {
        for (const { broker, enqueue } of costs) {
          enqueue.push(await microseconds(() => publish(broker, 'jobs', jobs, 1000)));
        }
        for (const cost of costs)
          cost.drain.push(await microseconds(() => drain(cost.broker, 'jobs', jobs, { concurrency: 10 })));
      }
      const [a, b] = costs;
      return [summary(few, a), summary(many, b)];
    }),
  );
}

interface Costs {
  broker: Broker;
  enqueue: number[];
  drain: number[];
}

async function fill(broker: Broker, count: number): Promise<Costs> {
  await broker.declare('jobs');
  const start = performance.now();
  await publish(broker, 'jobs', count, 1000);
  console.log(`queued ${count.toLocaleString('en')} in ${secondsSince(start).toFixed(1)} s`);
  return { broker, enqueue: [], drain: [] };
}

function summary(queued: number, costs: Costs): BacklogCost {
  return { queued, enqueue: median(costs.enqueue), drain: median(costs.drain) };
}

async function microseconds(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return (secondsSince(start) / jobs) * 1_000_000;
}
