import { setTimeout as wait } from 'node:timers/promises';
import type { Engine } from '../../src/engine/composition/engine.ts';
import { openEngine } from '../../src/engine/open-engine.ts';
import { decodeRequest, milliseconds, type Request } from '../../src/engine/request/request.ts';
import { submitRequest } from '../../src/engine/request/submit.ts';
import { createTiming } from '../../src/engine/results/timing.ts';
import { runServices } from '../../src/engine/run-services.ts';
import { settingsSchema } from '../../src/engine/settings/settings.ts';
import type { SimulatedRequest } from '../../src/engine/simulation/draw-requests.ts';
import { mean, measure, quantile } from '../../src/engine/simulation/measures.ts';
import { simulateRequests } from '../../src/engine/simulation/simulate.ts';
import { flow } from '../../src/engine/watchdog/flow.ts';
import { listWorkers } from '../../src/engine/worker/worker-record.ts';
import { type Comparable, less } from '../comparable.ts';
import { scratchDirectory } from '../engine/scratch.ts';
import { printMarkdown, type Target } from '../transcription/report.ts';
import { builtIn } from './averages.ts';

const faster = 20;
const output = 'bench.done';
const seed = builtIn('seed');

/**
 * `seed` with real workers and the real watchdog, twenty times as fast, and beside it a simulation of the same
 * requests. The simulation uses the measured times of messages, of handing them on and getting the next, and of
 * switches. Dummy stages load in no time, so switches are nearly free.
 */
export async function realPart(series: number, targets: Target[], comparable: Comparable[]): Promise<object> {
  const { requests, coldMs, warmMs } = await run(series);
  const timing = createTiming();
  for (const request of requests) timing.add(request);
  const real = (timing.result().pipelines[0]?.total.meanMs ?? Number.NaN) / 1000;
  const handOnMs = median(pauses(requests));
  const simulated = simulateAgain(requests, { coldMs, warmMs, handOnMs });
  const off = real / simulated;
  console.log(`\nWorkload seed for real, ${faster} times as fast, ${requests.length} requests\n`);
  printMarkdown([
    ['', 'mean time in the system'],
    ['real workers', `${real.toFixed(2)} s`],
    [
      `simulated with ${handOnMs} ms to hand on a message, switches of ${coldMs} ms (cold) and ${warmMs} ms (warm)`,
      `${simulated.toFixed(2)} s`,
    ],
  ]);
  comparable.push(less('seed for real, mean s', real), less('to hand on a message, ms', handOnMs));
  targets.push({
    name: 'seed for real, of the simulation',
    wanted: '0.9x to 1.1x',
    measured: `${off.toFixed(3)}x`,
    reached: Math.abs(off - 1) <= 0.1,
  });
  return { requests: requests.length, realMean: real, simulatedMean: simulated, coldMs, warmMs, handOnMs };
}

async function run(series: number): Promise<{ requests: Request[]; coldMs: number; warmMs: number }> {
  const settings = settingsSchema.parse({
    data: scratchDirectory(),
    log: { level: 'error' },
    watchdog: {
      policy: 'flow',
      periodMs: (seed.planning * 1000) / faster,
      reconfigurationMs: (seed.reconfiguration * 1000) / faster,
    },
  });
  const engine = await openEngine(settings, { purpose: 'bench', console: console.error });
  try {
    for (const { name, time } of seed.stages) {
      const [least, most] = time.map((each) => each / faster);
      const config = `TIME_SCALE = 0\nTIME_DIFF_MIN = ${least}\nTIME_DIFF_MAX = ${most}`;
      await engine.stages.create({ name, processor: 'dummy', config }, 'bench');
    }
    await engine.broker.declare(output);
    const services = runServices(engine);
    for (let count = 0; count < 2; count++) await engine.workers.start();
    const requests = await submitAndCollect(engine, series);
    const presences = (await listWorkers(engine.coordination)).flatMap(({ presence }) => presence ?? []);
    const meanOf = (pick: 'coldMs' | 'warmMs') => mean(presences.map((presence) => presence[pick] ?? 0));
    await engine.workers.close();
    await services.close();
    return { requests, coldMs: meanOf('coldMs'), warmMs: meanOf('warmMs') };
  } finally {
    await engine.close();
  }
}

async function submitAndCollect(engine: Engine, series: number): Promise<Request[]> {
  const { count, every } = seed.arrivals[0] ?? { count: 1, every: 1 };
  const requests: Request[] = [];
  const all = Promise.withResolvers<void>();
  const consumer = await engine.broker.consume(output, { concurrency: 1 }, async (delivery) => {
    requests.push(decodeRequest(delivery.body));
    await delivery.ack();
    if (requests.length === series * count) all.resolve();
  });
  const started = performance.now();
  for (let number = 0; number < series; number++) {
    await wait(Math.max(0, started + number * (every / faster) * 1000 - performance.now()));
    for (let each = 0; each < count; each++) {
      const stages = [...seed.stages.map(({ name }) => name), output];
      await submitRequest(engine, { files: [], stages, owner: 'bench', role: 'admin' });
    }
  }
  await all.promise;
  await consumer.close();
  return requests;
}

/** Between the end of a message and the start of the next one of the same worker. */
function pauses(requests: readonly Request[]): number[] {
  const logs = requests.flatMap((request) => request.logs);
  return [...Map.groupBy(logs, ({ hostId }) => hostId).values()].flatMap((own) => {
    const spans = own
      .map(({ start, end }) => ({ start: milliseconds(start) ?? 0, end: milliseconds(end) ?? 0 }))
      .sort((a, b) => a.start - b.start);
    return spans.slice(1).map(({ start }, index) => Math.max(0, start - (spans[index]?.end ?? start)));
  });
}

function median(numbers: readonly number[]): number {
  return quantile(
    numbers.toSorted((a, b) => a - b),
    0.5,
  );
}

/** Seconds. The same requests at the same times, in virtual time. */
function simulateAgain(
  requests: readonly Request[],
  { coldMs, warmMs, handOnMs }: { coldMs: number; warmMs: number; handOnMs: number },
): number {
  const started = (request: Request) => milliseconds(request.startTime) ?? 0;
  const first = Math.min(...requests.map(started));
  const again = requests
    .toSorted((a, b) => started(a) - started(b))
    .map(
      (request, number): SimulatedRequest => ({
        number,
        arrivesAt: started(request) - first,
        steps: request.logs.map(({ stage, start, end }) => ({
          stage,
          ms: (milliseconds(end) ?? 0) - (milliseconds(start) ?? 0) + handOnMs,
        })),
      }),
    );
  const load = builtIn('seed', {
    planning: seed.planning / faster,
    averages: {},
    reconfiguration: coldMs / 1000,
    warm: warmMs / 1000,
  });
  return measure(simulateRequests(load, flow, again)).meanTimeInSystem;
}
