/**
 * How workers are assigned: `flow` beside `parametric` in simulation, on built-in and random workloads; how long
 * a plan takes; a planning round with many workers on ZooKeeper; and a run with real workers beside its simulation (seven
 * minutes). With `--bound` also what the best of all policies could reach on `seed` (a minute).
 * `npm run bench -- watchdog [--only policies,random,speed,round,real] [--seeds 20] [--random 100] [--series 30] [--bound]
 * [--json FILE]`
 */
import { writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import type { Comparable } from './comparable.ts';
import { printTargets, type Target } from './transcription/report.ts';
import { boundPart } from './watchdog/bound-part.ts';
import { policiesPart } from './watchdog/policies-part.ts';
import { randomPart } from './watchdog/random-part.ts';
import { realPart } from './watchdog/real-part.ts';
import { roundPart } from './watchdog/round-part.ts';
import { speedPart } from './watchdog/speed-part.ts';

const { values } = parseArgs({
  options: {
    json: { type: 'string' },
    only: { type: 'string', default: 'policies,random,speed,round,real' },
    seeds: { type: 'string', default: '20' },
    random: { type: 'string', default: '100' },
    series: { type: 'string', default: '30' },
    bound: { type: 'boolean', default: false },
    // There are no peers: for `bench -- compare`, which says so to all.
    alone: { type: 'boolean', default: false },
  },
});
const parts = new Set(values.only.split(','));
const seeds = Number(values.seeds);
const targets: Target[] = [];
const comparable: Comparable[] = [];

// The servers don't keep this process alive, not even while it waits for them to end.
const alive = setInterval(() => {}, 60_000);
const policies = parts.has('policies') ? policiesPart(seeds, targets, comparable) : undefined;
const bound = values.bound ? boundPart(seeds) : undefined;
const random = parts.has('random') ? randomPart(Number(values.random)) : undefined;
const speed = parts.has('speed') ? speedPart(targets, comparable) : undefined;
const round = parts.has('round') ? await roundPart(targets, comparable) : undefined;
const real = parts.has('real') ? await realPart(Number(values.series), targets, comparable) : undefined;
if (targets.length > 0) printTargets(targets);
if (values.json) {
  const machine = { node: process.version, cores: availableParallelism(), at: new Date().toISOString() };
  const figures = { machine, seeds, policies, bound, random, speed, round, real, targets, comparable };
  await writeFile(values.json, `${JSON.stringify(figures, null, 2)}\n`);
}
clearInterval(alive);
