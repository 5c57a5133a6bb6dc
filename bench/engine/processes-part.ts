import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { openBroker } from '../../src/engine/broker/open.ts';
import { startPostgres } from '../../src/engine/testing/servers/postgres.ts';
import { startRabbitCluster } from '../../src/engine/testing/servers/rabbitmq.ts';
import { systemClock } from '../../src/engine/time/clock.ts';
import { publish } from './pismak.ts';
import { perSecond, printTable } from './report.ts';
import { jobs, median, secondsSince, Tally } from './work.ts';

const program = new URL('./worker-process.ts', import.meta.url);
/** Nothing to do, many at a time: the server is the limit. Waiting 5 ms, one at a time: the workers are. */
const kinds = [
  { name: 'trivial handlers, 10 at a time', count: jobs, concurrency: 10, waitMs: 0 },
  { name: 'handlers of 5 ms, one at a time', count: 1000, concurrency: 1, waitMs: 5 },
] as const;
type Kind = (typeof kinds)[number];
const few = 1;
const many = 4;

/** Four worker processes against one on a queue that is full. */
export async function processesPart(rounds: number) {
  console.log(`\n${many} worker processes against ${few}, on a full queue`);
  const servers = [
    {
      name: 'PostgreSQL',
      start: async () => {
        const server = await startPostgres();
        return { url: await server.createDatabase(), close: server.close };
      },
    },
    {
      name: 'RabbitMQ',
      start: async () => {
        const cluster = await startRabbitCluster();
        return { url: (await cluster.createHost()).url, close: cluster.close };
      },
    },
  ];
  const results: { server: string; kind: string; workers: number; perSecond: number }[] = [];
  for (const { name: server, start } of servers) {
    const { url, close } = await start();
    try {
      for (const kind of kinds) {
        const seconds = await compare(server, url, kind, rounds);
        for (const [workers, each] of seconds) {
          results.push({ server, kind: kind.name, workers, perSecond: kind.count / each });
        }
        const ratio = (seconds.get(few) ?? Number.NaN) / (seconds.get(many) ?? Number.NaN);
        console.log(`${server}, ${kind.name}: ${many} processes are ${ratio.toFixed(2)}x of ${few}`);
      }
    } finally {
      await close();
    }
  }
  printTable([
    ['jobs per second', ...[few, many].map((workers) => `${workers} process${workers > 1 ? 'es' : ''}`)],
    ...servers.flatMap(({ name: server }) =>
      kinds.map(({ name: kind }) => [
        `${server}, ${kind}`,
        ...[few, many].map((workers) => {
          const found = results.find(
            (each) => each.server === server && each.kind === kind && each.workers === workers,
          );
          return perSecond(found?.perSecond ?? Number.NaN, 1);
        }),
      ]),
    ),
  ]);
  return results;
}

/** Median seconds by the number of workers, measured in turns. */
async function compare(
  server: string,
  url: string,
  kind: Kind,
  rounds: number,
): Promise<Map<number, number>> {
  const taken = new Map<number, number[]>([
    [few, []],
    [many, []],
  ]);
  for (let round = 0; round < rounds; round++) {
    for (const [workers, all] of taken) {
      const seconds = await measure(url, `jobs-${round}-${workers}-${kind.waitMs}`, kind, workers);
      all.push(seconds);
      const rate = perSecond(kind.count, seconds);
      console.log(`round ${round + 1} of ${rounds}: ${server}, ${kind.name}, ${workers}: ${rate}/s`);
    }
  }
  return new Map([...taken].map(([workers, all]) => [workers, median(all)]));
}

/** Seconds from the word to begin until all are acked. The processes are connected before. */
async function measure(url: string, queue: string, kind: Kind, workers: number): Promise<number> {
  const broker = await openBroker(url, { file: '', clock: systemClock });
  const tally = new Tally(kind.count);
  const processes: ChildProcess[] = [];
  try {
    await broker.declare(queue);
    await publish(broker, queue, kind.count, 1000);
    for (let index = 0; index < workers; index++) {
      const child = fork(program, [url, queue, String(kind.concurrency), String(kind.waitMs)]);
      processes.push(child);
      child.once('exit', (code) => tally.fail(new Error(`a worker process has ended (${code})`)));
    }
    await Promise.all(processes.map((child) => once(child, 'message')));
    for (const child of processes) child.on('message', (acked) => tally.add(Number(acked)));
    const start = performance.now();
    for (const child of processes) child.send('go');
    await tally.finished;
    return secondsSince(start);
  } finally {
    await Promise.all(processes.map(stop));
    await broker.remove(queue);
    await broker.close();
  }
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const ended = once(child, 'exit');
  child.send('stop');
  await ended;
}
