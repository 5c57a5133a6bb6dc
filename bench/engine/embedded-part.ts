import { less, more } from '../comparable.ts';
import { compareBacklogs } from './backlog.ts';
import { bullmq } from './bullmq.ts';
import { contest } from './contest.ts';
import { embedded, pipeline } from './embedded.ts';
import { startRedis } from './redis-server.ts';
import { above, atLeast, type PartRun, perSecond, printTable } from './report.ts';
import { concurrencies, jobs, median } from './work.ts';

/** The embedded broker beside BullMQ; then alone with a million messages queued, and as a pipeline of three queues. */
export async function embeddedPart(run: PartRun) {
  console.log('\nembedded: SQLite beside BullMQ on Redis');
  const rates = run.alone ? await measureAlone(run) : await measurePeers(run);
  const costs = await measureBacklog(run);
  const pipelines = await measurePipeline(run);
  return { rates, costs, pipelines };
}

async function measureAlone({ rounds, comparable }: PartRun) {
  const figures = await contest([embedded], rounds);
  figures.print(`embedded, median of ${rounds} rounds`);
  comparable.push(...figures.comparable());
  return figures.all;
}

async function measurePeers({ rounds, targets }: PartRun) {
  const [always, everysec] = await Promise.all([startRedis('always'), startRedis('everysec')]);
  try {
    const contenders = [embedded, ...bullmq(always, 'always'), ...bullmq(everysec, 'everysec')];
    const figures = await contest(contenders, rounds);
    figures.print(`embedded, median of ${rounds} rounds`);
    for (const concurrency of concurrencies) {
      const ratio = (peer: string) =>
        figures.rate(embedded.name, concurrency) / figures.best(peer, concurrency);
      const against = (durability: string) =>
        `against the best of BullMQ AOF ${durability}, concurrency ${concurrency}`;
      targets.push(atLeast(against('always'), ratio('BullMQ AOF always'), 2.5));
      targets.push(above(against('everysec'), ratio('BullMQ AOF everysec')));
    }
    return figures.all;
  } finally {
    await Promise.all([always.stop(), everysec.stop()]);
  }
}

async function measureBacklog({ targets, comparable }: PartRun) {
  console.log('\nalone, with 10,000 and with 1,000,000 messages waiting');
  const [few, many] = await compareBacklogs(jobs, 1_000_000);
  printTable([
    ['microseconds per job', 'enqueue', 'drain'],
    ...[few, many].map(({ queued, enqueue, drain }) => [
      `with ${queued.toLocaleString('en')} queued`,
      enqueue.toFixed(1),
      drain.toFixed(1),
    ]),
  ]);
  for (const what of ['enqueue', 'drain'] as const) {
    comparable.push(less(`${what} with 1,000,000 queued, us a job`, many[what]));
    const ratio = many[what] / few[what];
    const name = `${what} with 1,000,000 queued, against 10,000`;
    targets.push({ name, wanted: '1.5x or less', measured: ratio, reached: ratio <= 1.5 });
  }
  return [few, many];
}

async function measurePipeline({ rounds, comparable }: PartRun) {
  console.log(
    '\nthree queues in a row, publish on, wait for the confirm, ack: messages per second through all of them',
  );
  const results: { concurrency: number; perSecond: number }[] = [];
  for (const concurrency of concurrencies) {
    const seconds: number[] = [];
    for (let round = 0; round < rounds; round++) seconds.push(await pipeline(concurrency));
    results.push({ concurrency, perSecond: jobs / median(seconds) });
  }
  for (const { concurrency, perSecond } of results)
    comparable.push(more(`three queues in a row, concurrency ${concurrency}, messages/s`, perSecond));
  printTable(results.map((result) => [`concurrency ${result.concurrency}`, perSecond(result.perSecond, 1)]));
  return results;
}
