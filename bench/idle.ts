/**
 * Memory of an idle `pismak up`, with few and many workers and stages, and how soon the first message
 * after a long idle time is started; and how soon `npm start` is healthy in a fresh clone, which needs npm's registry.
 * `npm run bench -- idle [--only memory,first-start] [--workers 2,8,32] [--stages 40] [--rounds 5] [--rest 15] [--json FILE]`
 */
import { writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { type Comparable, less } from './comparable.ts';
import { type FirstStart, firstStartPart } from './idle/first-start.ts';
import { type IdleFigures, idlePart } from './idle/idle-part.ts';
import { printMarkdown, printTargets, type Target } from './transcription/report.ts';

const wanted = { processes: 4, pssMb: 250, beginMs: 300, firstStartSeconds: 25 };
const { values } = parseArgs({
  options: {
    json: { type: 'string' },
    only: { type: 'string', default: 'memory,first-start' },
    workers: { type: 'string', default: '2,8,32' },
    stages: { type: 'string', default: '40' },
    rounds: { type: 'string', default: '5' },
    rest: { type: 'string', default: '15' },
    // There are no peers: for `bench -- compare`, which says so to all.
    alone: { type: 'boolean', default: false },
  },
});

const only = values.only.split(',');
const unknown = only.find((name) => name !== 'memory' && name !== 'first-start');
if (unknown !== undefined) throw new Error(`--only knows memory and first-start, not ${unknown}`);
const figures = only.includes('memory') ? await measureMemory() : [];
const firstStarts = only.includes('first-start') ? await measureFirstStart() : [];

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
targets.push(
  ...firstStarts.map(({ cache, healthy }) =>
    target(`first start, npm cache ${cache}`, 's', wanted.firstStartSeconds, healthy.seconds),
  ),
);
const comparable: Comparable[] = figures.flatMap(({ workers, processes, pssMb, firstMessage }) => [
  less(`${workers} workers, processes`, processes),
  less(`${workers} workers, PSS, MB`, pssMb),
  ...Object.entries(firstMessage).map(([stage, { medianMs }]) =>
    less(`${workers} workers, first message for ${stage}, ms`, medianMs),
  ),
]);
for (const { cache, packages, installedMb, healthy } of firstStarts) {
  const name = `first start, npm cache ${cache}`;
  comparable.push(less(`${name}, packages`, packages), less(`${name}, MB`, installedMb));
  comparable.push(less(`${name}, s`, healthy.seconds), less(`${name}, CPU s`, healthy.cpuSeconds));
}
printTargets(targets);
if (values.json) {
  const machine = { node: process.version, cores: availableParallelism(), at: new Date().toISOString() };
  await writeFile(
    values.json,
    `${JSON.stringify({ machine, figures, firstStarts, targets, comparable }, null, 2)}\n`,
  );
}

async function measureMemory(): Promise<IdleFigures[]> {
  const figures: IdleFigures[] = [];
  for (const workers of values.workers.split(',').map(Number)) {
    const moreStages = Number(values.stages);
    const restMs = Number(values.rest) * 1000;
    const found = await idlePart({ workers, moreStages, restMs, rounds: Number(values.rounds) });
    console.log(`${workers} workers: ${found.processes} processes, ${Math.round(found.pssMb)} MB`);
    figures.push(found);
  }

  const names = Object.keys(figures[0]?.firstMessage ?? {});
  console.log(
    '\nIdle, and the first message after that (time until it is started: median and longest, ms)\n',
  );
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
  return figures;
}

async function measureFirstStart(): Promise<FirstStart[]> {
  const found = await firstStartPart();
  console.log(
    '\nThe first `npm start` in a fresh clone (seconds since the command, and CPU seconds until then)\n',
  );
  const moment = ({ seconds, cpuSeconds }: FirstStart['healthy']) =>
    `${seconds.toFixed(1)}, ${cpuSeconds.toFixed(1)}`;
  printMarkdown([
    ['npm cache', 'packages', 'MB', 'installed', 'healthy'],
    ...found.map(({ cache, packages, installedMb, installed, healthy }) => [
      cache,
      String(packages),
      installedMb.toFixed(0),
      moment(installed),
      moment(healthy),
    ]),
  ]);
  return found;
}
