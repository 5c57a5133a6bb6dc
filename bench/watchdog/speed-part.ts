import { seededRandom } from '../../src/engine/simulation/chance.ts';
import { quantile } from '../../src/engine/simulation/measures.ts';
import { policies } from '../../src/engine/watchdog/policies.ts';
import { defaultParameters, type Snapshot } from '../../src/engine/watchdog/policy.ts';
import { type Comparable, less } from '../comparable.ts';
import { printMarkdown, type Target } from '../transcription/report.ts';

const at = 1_700_000_000_000;
const sizes = { workers: 1000, stages: 50 };

/** How long one plan takes for very many workers: all new, or all at work. */
export function speedPart(targets: Target[], comparable: Comparable[]): object {
  const measured = Object.entries(policies).flatMap(([policy, plan]) =>
    (['new', 'at work'] as const).map((workers) => {
      const snapshot = manyWorkers(workers === 'new');
      const times = Array.from({ length: 40 }, () => {
        const started = performance.now();
        plan(snapshot, defaultParameters);
        return performance.now() - started;
      }).sort((a, b) => a - b);
      const { length } = plan(snapshot, defaultParameters).assignments;
      return {
        policy,
        workers,
        assignments: length,
        medianMs: quantile(times, 0.5),
        p95Ms: quantile(times, 0.95),
      };
    }),
  );
  console.log(`\nOne plan for ${sizes.workers} workers and ${sizes.stages} stages\n`);
  printMarkdown([
    ['policy', 'workers are', 'moves', 'median', '95 %'],
    ...measured.map((each) => [
      each.policy,
      each.workers,
      String(each.assignments),
      `${each.medianMs.toFixed(1)} ms`,
      `${each.p95Ms.toFixed(1)} ms`,
    ]),
  ]);
  for (const { policy, workers, medianMs } of measured)
    comparable.push(less(`${policy}: plan of ${sizes.workers} workers, ${workers}, ms`, medianMs));
  for (const { policy, workers, medianMs } of measured)
    targets.push({
      name: `${policy}: plan of ${sizes.workers} workers, ${workers}`,
      wanted: 'under 50 ms',
      measured: `${medianMs.toFixed(1)} ms`,
      reached: medianMs < 50,
    });
  return measured;
}

function manyWorkers(areNew: boolean): Snapshot {
  const random = seededRandom(1);
  const names = Array.from({ length: sizes.stages }, (_, index) => `stage${index}`);
  const one = () => names[Math.floor(random() * names.length)] ?? '';
  return {
    at,
    stages: names.map((name, index) => ({
      name,
      priority: index % 7 === 0 ? 1 : 0,
      paused: false,
      waitingSince: null,
      labels: index % 5 === 0 ? ['gpu'] : [],
      length: Math.floor(random() ** 3 * 500),
      inFlight: 0,
      averageMs: 50 + random() * 20_000,
      // Pipelines of ten stages.
      next: index % 10 === 9 ? {} : { [`stage${index + 1}`]: 1 },
    })),
    workers: Array.from({ length: sizes.workers }, (_, index) => {
      const stage = areNew ? null : one();
      return {
        id: `worker${index}`,
        stage,
        serving: stage,
        labels: index % 3 === 0 ? ['gpu'] : [],
        alive: true,
        enabled: true,
        pinned: false,
        failed: false,
        unlockAt: 0,
        inFlight: areNew || random() < 0.2 ? 0 : 1,
        busyMs: random() * 10_000,
        loaded: areNew ? [] : [one(), one()],
        coldMs: 8000,
        warmMs: 5,
      };
    }),
  };
}
