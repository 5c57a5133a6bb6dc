import { workloads } from '../../src/engine/simulation/workloads.ts';
import { flow } from '../../src/engine/watchdog/flow.ts';
import { parametric } from '../../src/engine/watchdog/parametric.ts';
import { type Comparable, less } from '../comparable.ts';
import { compare, printMarkdown, type Target } from '../transcription/report.ts';
import { averagesOf, builtIn, referenceOf } from './averages.ts';

/** `flow` beside `parametric` on all built-in workloads, and the effect of priorities. */
export function policiesPart(seeds: number, targets: Target[], comparable: Comparable[]): object {
  return {
    seed: seedTable(seeds, targets, comparable),
    others: otherTable(seeds, targets, comparable),
    priorities: priorityTable(seeds),
  };
}

function seedTable(seeds: number, targets: Target[], comparable: Comparable[]): object {
  const old = averagesOf(builtIn('seed'), parametric, seeds);
  const cold = averagesOf(builtIn('seed'), flow, seeds);
  const warm = averagesOf(builtIn('seed', { warm: 0.2 }), flow, seeds);
  const loaded = averagesOf(builtIn('seed', { reconfiguration: 0.2 }), flow, seeds);
  const oldWarm = averagesOf(builtIn('seed', { warm: 0.2 }), parametric, seeds);
  const reference = referenceOf(builtIn('seed'), seeds);
  const row = (name: string, each: { mean: number; p95: number; switches: number }) => [
    name,
    seconds(each.mean),
    seconds(each.p95),
    each.switches.toFixed(0),
    ratio(each.mean / old.mean),
    ratio(each.mean / reference),
  ];
  console.log(`\nWorkload seed, ${seeds} seeds, time in the system in seconds\n`);
  printMarkdown([
    ['policy', 'mean', 'p95', 'switches', 'of parametric', 'of reference'],
    row('parametric, every switch 10 s', old),
    row('flow, every switch 10 s', cold),
    row('parametric, warm switch 0.2 s', oldWarm),
    row('flow, warm switch 0.2 s', warm),
    row('flow, every switch 0.2 s', loaded),
    ['reference: switches are free', seconds(reference), '', '', ratio(reference / old.mean), '1.000'],
  ]);
  const against = (name: string, wanted: number, measured: number) =>
    targets.push(compare(name, `at most ${wanted}x`, measured, measured <= wanted));
  against('seed: flow of parametric', 0.7, cold.mean / old.mean);
  against('seed: flow, warm 0.2 s, of parametric with 10 s', 0.56, warm.mean / old.mean);
  against('seed: flow, warm 0.2 s, of the reference', 1.05, warm.mean / reference);
  comparable.push(
    less('seed: parametric, mean s', old.mean),
    less('seed: flow, mean s', cold.mean),
    less('seed: flow, warm switches, mean s', warm.mean),
  );
  const off = old.mean / 1690;
  targets.push(
    compare('seed: parametric of an independent simulation', '0.9x to 1.1x', off, Math.abs(off - 1) < 0.1),
  );
  return {
    parametric: old,
    flow: cold,
    flowWarm: warm,
    flowLoaded: loaded,
    parametricWarm: oldWarm,
    reference,
  };
}

function otherTable(seeds: number, targets: Target[], comparable: Comparable[]): object[] {
  const measured = Object.keys(workloads)
    .filter((name) => name !== 'seed')
    .map((name) => {
      const load = builtIn(name);
      return {
        name,
        parametric: averagesOf(load, parametric, seeds),
        flow: averagesOf(load, flow, seeds),
        reference: referenceOf(load, seeds),
      };
    });
  console.log(`\nThe other workloads, ${seeds} seeds, time in the system in seconds\n`);
  printMarkdown([
    [
      'workload',
      'parametric: mean',
      'p95',
      'flow: mean',
      'p95',
      'mean of parametric',
      'p95 of parametric',
      'reference',
    ],
    ...measured.map(({ name, parametric: old, flow: own, reference }) => [
      name,
      seconds(old.mean),
      seconds(old.p95),
      seconds(own.mean),
      seconds(own.p95),
      ratio(own.mean / old.mean),
      ratio(own.p95 / old.p95),
      seconds(reference),
    ]),
  ]);
  for (const { name, parametric: old, flow: own } of measured) {
    comparable.push(less(`${name}: flow, mean s`, own.mean), less(`${name}: flow, p95 s`, own.p95));
    const [mean, p95] = [own.mean / old.mean, own.p95 / old.p95];
    targets.push(compare(`${name}: mean of parametric`, 'at most 1.03x', mean, mean <= 1.03));
    targets.push(compare(`${name}: p95 of parametric`, 'at most 1.1x', p95, p95 <= 1.1));
  }
  return measured;
}

function priorityTable(seeds: number): object[] {
  const measured = [
    [0, 0, 0],
    [0, 1, 1],
    [0, 1, 2],
    [0, 10, 20],
  ].map((priorities) => {
    const { stages } = builtIn('seed');
    const load = builtIn('seed', {
      stages: stages.map((stage, index) => ({ ...stage, priority: priorities[index] })),
    });
    return {
      priorities,
      parametric: averagesOf(load, parametric, seeds),
      flow: averagesOf(load, flow, seeds),
    };
  });
  console.log(`\nPriorities of the three stages of seed, ${seeds} seeds, time in the system in seconds\n`);
  printMarkdown([
    ['priorities', 'parametric: mean', 'p95', 'switches', 'flow: mean', 'p95', 'switches'],
    ...measured.map(({ priorities, ...by }) => [
      priorities.join('/'),
      ...[by.parametric, by.flow].flatMap((each) => [
        seconds(each.mean),
        seconds(each.p95),
        each.switches.toFixed(0),
      ]),
    ]),
  ]);
  return measured;
}

function seconds(number: number): string {
  return number.toFixed(number < 100 ? 1 : 0);
}

function ratio(number: number): string {
  return number.toFixed(3);
}
