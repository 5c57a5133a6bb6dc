import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { cpus } from 'node:os';
import { openBroker } from '../../src/engine/broker/open.ts';
import { startPostgres } from '../../src/engine/testing/servers/postgres.ts';
import { startRabbitCluster } from '../../src/engine/testing/servers/rabbitmq.ts';
import { systemClock } from '../../src/engine/time/clock.ts';
import { more } from '../comparable.ts';
import { publish } from './pismak.ts';
import { atLeast, type PartRun, perSecond, printTable } from './report.ts';
import { jobs, median, secondsSince, Tally } from './work.ts';

const program = new URL('./worker-process.ts', import.meta.url);
const few = 1;
const many = 4;

/** What workers do, and how many jobs each gets: the same for one worker as for four, so that start-up weighs the same. */
interface Kind {
  name: string;
  jobsEach: number;
  concurrency: number;
  waitMs: number;
}
const waiting: Kind = { name: 'handlers of 5 ms, one at a time', jobsEach: 1000, concurrency: 1, waitMs: 5 };
const trivial: Kind = {
  name: 'trivial handlers, 10 at a time',
  jobsEach: jobs,
  concurrency: 10,
  waitMs: 0,
};

const servers = [
  {
    name: 'PostgreSQL',
    wanted: 2.5,
    start: async () => {
      const server = await startPostgres();
      return { url: await server.createDatabase(), close: server.close };
    },
  },
  {
    name: 'RabbitMQ',
    wanted: undefined,
    start: async () => {
      const cluster = await startRabbitCluster();
      return { url: (await cluster.createHost()).url, close: cluster.close };
    },
  },
];

interface Run {
  perSecond: number;
  /** Processor time of the workers for one job. */
  workerMs: number;
  /** How much of the machine was in use, by any process. */
  busy: number;
}

/** Handlers that wait: the workers are the limit, so four processes should do the work of several. */
export async function processesPart(run: PartRun) {
  const { targets } = run;
  const results = await compareOnServers(waiting, run);
  for (const { name, wanted } of servers) {
    const ratio = results.find(({ server }) => server === name)?.ratio ?? Number.NaN;
    if (wanted)
      targets.push(atLeast(`${name}, ${many} processes against ${few}, ${waiting.name}`, ratio, wanted));
  }
  return results;
}

/** Handlers that do nothing: the server is the limit. */
export async function trivialProcessesPart(run: PartRun) {
  return compareOnServers(trivial, run);
}

async function compareOnServers(kind: Kind, { rounds, comparable }: PartRun) {
  console.log(`\n${many} worker processes against ${few} on a full queue: ${kind.name}`);
  const results: { server: string; kind: string; ratio: number; few: Run[]; many: Run[] }[] = [];
  for (const { name: server, start } of servers) {
    const { url, close } = await start();
    try {
      const runs: { few: Run[]; many: Run[] } = { few: [], many: [] };
      // In turns, so that other load on the machine affects both alike.
      for (let round = 1; round <= rounds; round++) {
        const one = await measure(url, `jobs-${round}-${few}`, kind, few);
        const four = await measure(url, `jobs-${round}-${many}`, kind, many);
        runs.few.push(one);
        runs.many.push(four);
        const ratio = (four.perSecond / one.perSecond).toFixed(2);
        console.log(
          `round ${round} of ${rounds}: ${server}, ${few}: ${inWords(one)}; ${many}: ${inWords(four)}: ${ratio}x`,
        );
      }
      results.push({ server, kind: kind.name, ratio: ratioOf(runs), ...runs });
    } finally {
      await close();
    }
  }
  const rate = (runs: readonly Run[]) => perSecond(median(runs.map((run) => run.perSecond)), 1);
  for (const { server, ...runs } of results)
    for (const [processes, list] of [
      [few, runs.few],
      [many, runs.many],
    ] as const)
      comparable.push(
        more(
          `${server}, ${kind.name}, processes: ${processes}, jobs/s`,
          median(list.map((run) => run.perSecond)),
        ),
      );
  const each = (runs: { few: Run[]; many: Run[] }) => ratiosOf(runs).map((ratio) => ratio.toFixed(2));
  console.log(`\nMedians of ${rounds} rounds: ${kind.name}`);
  printTable([
    ['jobs per second', '1 process', `${many} processes`, 'ratio', 'of each round'],
    ...results.map((all) => [
      all.server,
      rate(all.few),
      rate(all.many),
      `${all.ratio.toFixed(2)}x`,
      each(all).sort().join(' '),
    ]),
  ]);
  return results;
}

function ratiosOf({ few, many }: { few: readonly Run[]; many: readonly Run[] }): number[] {
  return many.map((run, round) => run.perSecond / (few[round]?.perSecond ?? Number.NaN));
}

function ratioOf(runs: { few: readonly Run[]; many: readonly Run[] }): number {
  return median(ratiosOf(runs));
}

function inWords({ perSecond: rate, workerMs, busy }: Run): string {
  const cpu = `${workerMs.toFixed(2)} ms of CPU a job in workers, machine ${Math.round(100 * busy)} % busy`;
  return `${perSecond(rate, 1)}/s (${cpu})`;
}

/** From `go` until all are acked. The processes are already running and connected. */
async function measure(url: string, queue: string, kind: Kind, workers: number): Promise<Run> {
  const count = kind.jobsEach * workers;
  const broker = await openBroker(url, { file: '', clock: systemClock });
  const tally = new Tally(count);
  const processes: ChildProcess[] = [];
  let workerMs = 0;
  try {
    await broker.declare(queue);
    await publish(broker, queue, count, 1000);
    for (let index = 0; index < workers; index++) {
      const child = fork(program, [url, queue, String(kind.concurrency), String(kind.waitMs)]);
      processes.push(child);
      child.once('exit', (code) => tally.fail(new Error(`a worker process ended (${code})`)));
    }
    await Promise.all(processes.map((child) => once(child, 'message')));
    for (const child of processes) {
      child.on('message', (done: { acked: number; cpuMs: number }) => {
        workerMs += done.cpuMs;
        tally.add(done.acked);
      });
    }
    const before = processorTimes();
    const start = performance.now();
    for (const child of processes) child.send('go');
    await tally.finished;
    const seconds = secondsSince(start);
    const after = processorTimes();
    const busy = (after.busy - before.busy) / (after.all - before.all);
    return { perSecond: count / seconds, workerMs: workerMs / count, busy };
  } finally {
    await Promise.all(processes.map(stop));
    await broker.remove(queue);
    await broker.close();
  }
}

function processorTimes(): { busy: number; all: number } {
  const times = cpus().map((cpu) => cpu.times);
  const all = times.flatMap((each) => Object.values(each)).reduce((sum, ms) => sum + ms, 0);
  return { busy: all - times.reduce((sum, { idle }) => sum + idle, 0), all };
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const ended = once(child, 'exit');
  child.send('stop');
  await ended;
}
