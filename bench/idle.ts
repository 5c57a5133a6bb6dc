/**
 * Memory of an idle `pismak up`, with few and many workers and stages, and how soon the first message
 * after a long idle time is started. `npm run bench -- idle [--workers 2,8,32] [--stages 40] [--rounds 5] [--rest 15]
 * [--json FILE]`
 */
import { writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { type Comparable, less } from './comparable.ts';
import { idlePart } from './idle/idle-part.ts';
import { printMarkdown, printTargets, type Target } from './transcription/report.ts';

const wanted = { processes: 4, pssMb: 250, beginMs: 300 };
const { values } = parseArgs({
  options: {
    json: { type: 'string' },
    workers: { type: 'string', default: '2,8,32' },
    stages: { type: 'string', default: '40' },
    rounds: { type: 'string', default: '5' },
    rest: { type: 'string', default: '15' },
    // There are no peers: for `bench -- compare`, which says so to all.
    alone: { type: 'boolean', default: false },
  },
});

const figures = [];
for (const workers of values.workers.split(',').map(Number)) {
  const moreStages = Number(values.stages);
  const restMs = Number(values.rest) * 1000;
  const found = await idlePart({ workers, moreStages, restMs, rounds: Number(values.rounds) });
  console.log(`${workers} workers: ${found.processes} processes, ${Math.round(found.pssMb)} MB`);
  figures.push(found);
}

const names = Object.keys(figures[0]?.firstMessage ?? {});
console.log('\nIdle, and the first message after that (time until it is started: median and longest, ms)\n');
printMarkdown([
  ['workers', 'stages', 'processes', 'PSS, MB', 'if alone, MB', ...names],
  ...figures.map(({ workers, stages, processes, pssMb, aloneMb, firstMessage }) => [
    String(workers),
    String(stages),
    String(processes),
    pssMb.toFixed(0),
    aloneMb.toFixed(0),
    ...names.map((name) => {
      const { medianMs = Number.NaN, mostMs = Number.NaN } = firstMessage[name] ?? {};
      return `${medianMs.toFixed(0)}, ${mostMs.toFixed(0)}`;
    }),
  ]),
]);

const target = (name: string, unit: string, most: number, measured: number): Target => ({
  name,
  wanted: `at most ${most} ${unit}`,
  measured: `${measured.toFixed(0)} ${unit}`,
  reached: measured <= most,
});
const targets = figures.flatMap(({ workers, processes, aloneMb, pssMb, firstMessage }) => [
  target(`${workers} workers, idle`, 'processes', wanted.processes, processes),
  target(`${workers} workers, idle, PSS`, 'MB', wanted.pssMb, pssMb),
  target(`${workers} workers, idle, if no other Node process ran`, 'MB', wanted.pssMb, aloneMb),
  ...Object.entries(firstMessage).map(([stage, { medianMs }]) =>
    target(`${workers} workers, first message for ${stage}`, 'ms', wanted.beginMs, medianMs),
  ),
]);
const comparable: Comparable[] = figures.flatMap(({ workers, processes, pssMb, firstMessage }) => [
  less(`${workers} workers, processes`, processes),
  less(`${workers} workers, PSS, MB`, pssMb),
  ...Object.entries(firstMessage).map(([stage, { medianMs }]) =>
    less(`${workers} workers, first message for ${stage}, ms`, medianMs),
  ),
]);
printTargets(targets);
if (values.json) {
  const machine = { node: process.version, cores: availableParallelism(), at: new Date().toISOString() };
  await writeFile(values.json, `${JSON.stringify({ machine, figures, targets, comparable }, null, 2)}\n`);
}
