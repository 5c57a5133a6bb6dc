import { seededRandom } from '../../src/engine/simulation/chance.ts';
import { quantile } from '../../src/engine/simulation/measures.ts';
import { type Workload, workload } from '../../src/engine/simulation/workload.ts';
import { flow } from '../../src/engine/watchdog/flow.ts';
import { parametric } from '../../src/engine/watchdog/parametric.ts';
import { printMarkdown } from '../transcription/report.ts';
import { averagesOf } from './averages.ts';

/** Workloads that `flow` was not tuned for, to see how good or bad it can be. */
export function randomPart(count: number): object {
  const random = seededRandom(1);
  const measured = Array.from({ length: count }, () => {
    const load = randomWorkload(random);
    const [old, own] = [averagesOf(load, parametric, 2), averagesOf(load, flow, 2)];
    return { mean: own.mean / old.mean, p95: own.p95 / old.p95 };
  });
  console.log(`\n${count} random workloads, 2 seeds, flow of parametric\n`);
  const row = (name: 'mean' | 'p95', limit: number) => {
    const ratios = measured.map((each) => each[name]).sort((a, b) => a - b);
    return [
      ...[
        name,
        quantile(ratios, 0.05),
        quantile(ratios, 0.5),
        quantile(ratios, 0.95),
        quantile(ratios, 1),
      ].map((each) => (typeof each === 'number' ? each.toFixed(2) : each)),
      `${ratios.filter((ratio) => ratio > limit).length} above ${limit}`,
    ];
  };
  printMarkdown([['', '5 %', 'median', '95 %', 'worst', ''], row('mean', 1.03), row('p95', 1.1)]);
  return measured;
}

function randomWorkload(random: () => number): Workload {
  const pick = <T>(...choice: [T, ...T[]]): T => choice[Math.floor(random() * choice.length)] ?? choice[0];
  const stages = Array.from({ length: pick(1, 2, 3, 4, 6, 10) }, (_, index) => ({
    name: `stage${index}`,
    usual: pick(0.1, 1, 5, 20, 40),
    labels: [] as string[],
  }));
  const count = pick(1, 2, 3, 4, 8, 16);
  const [, second] = stages;
  const hasRare = second !== undefined && count > 2 && random() < 0.25;
  if (hasRare) second.labels = ['rare'];
  const rare = hasRare ? Math.ceil(count / 3) : 0;
  const ways = pick(1, 1, 2, 3);
  const load = pick(0.4, 0.6, 0.8, 0.95, 1.15);
  const arrivals = Array.from({ length: ways }, (_, index) => {
    const some = stages.filter(() => index === 0 || random() < 0.6);
    const way = some.length > 0 ? some : stages.slice(0, 1);
    const together = pick(1, 1, 5, 20);
    const work = way.reduce((sum, { usual }) => sum + usual, 0) * together;
    return {
      stages: way.map(({ name }) => name),
      count: together,
      every: (work * ways) / ((count + rare) * load),
      series: Math.max(3, Math.ceil(300 / ways / together)),
      random: random() < 0.7,
    };
  });
  const reconfiguration = pick(0.1, 1, 10, 30);
  return workload.parse({
    stages: stages.map(({ name, usual, labels }) => ({ name, labels, time: [usual / 2, usual * 1.5] })),
    workers: [{ count }, ...(hasRare ? [{ count: rare, labels: ['rare'] }] : [])],
    arrivals,
    reconfiguration,
    ...(random() < 0.3 ? { warm: reconfiguration / 20 } : {}),
    planning: pick(1, 2, 10),
  });
}
