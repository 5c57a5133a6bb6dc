import { writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { compareBacklogs } from './engine/backlog.ts';
import { bullmq } from './engine/bullmq.ts';
import { embedded, pipeline } from './engine/embedded.ts';
import { startRedis } from './engine/redis-server.ts';
import { perSecond, printTable, printTargets, type Target } from './engine/report.ts';
import { type Contender, concurrencies, jobs, median } from './engine/work.ts';

/**
 * The embedded broker beside BullMQ, in one run and on the same work; then alone with a million messages queued, and as a
 * pipeline of three queues. `node bench/engine.ts [--json FILE]`
 */
const { values } = parseArgs({
  options: { json: { type: 'string' }, rounds: { type: 'string', default: '5' } },
});
const rounds = Number(values.rounds);
const targets: Target[] = [];

const rates = await measurePeers();
const costs = await measureBacklog();
const pipelines = await measurePipeline();
printTargets(targets);
if (values.json) {
  const machine = { node: process.version, cores: availableParallelism(), at: new Date().toISOString() };
  await writeFile(
    values.json,
    `${JSON.stringify({ machine, jobs, rates, costs, pipelines, targets }, null, 2)}\n`,
  );
}

async function measurePeers() {
  const [always, everysec] = await Promise.all([startRedis('always'), startRedis('everysec')]);
  const contenders = [embedded, ...bullmq(always, 'always'), ...bullmq(everysec, 'everysec')];
  try {
    for (const { name, terms } of contenders) console.log(`${name}: ${terms}`);
    const seconds = await takeTurns(contenders);
    console.log(`\n${jobs} jobs of 1 KB, enqueue + work + ack, jobs per second (median of ${rounds} rounds)`);
    const header = ['', ...concurrencies.map((concurrency) => `concurrency ${concurrency}`)];
    const rate = (name: string, concurrency: number) =>
      jobs / (seconds.get(`${name} ${concurrency}`) ?? Number.NaN);
    const line = ({ name }: Contender) => [
      name,
      ...concurrencies.map((each) => perSecond(rate(name, each), 1)),
    ];
    printTable([header, ...contenders.map(line)]);
    for (const concurrency of concurrencies) {
      const best = (durability: string) =>
        Math.max(
          ...contenders
            .filter(({ name }) => name.includes(durability))
            .map(({ name }) => rate(name, concurrency)),
        );
      compare(concurrency, 'always', rate(embedded.name, concurrency) / best('always'), 2.5);
      compare(concurrency, 'everysec', rate(embedded.name, concurrency) / best('everysec'), 1);
    }
    return concurrencies.flatMap((concurrency) =>
      contenders.map(({ name, terms }) => ({ name, terms, concurrency, perSecond: rate(name, concurrency) })),
    );
  } finally {
    await Promise.all([always.stop(), everysec.stop()]);
  }
}

/** Each contender once per round, so that what else the machine does hits all alike. The first round only warms up. */
async function takeTurns(contenders: readonly Contender[]): Promise<Map<string, number>> {
  const taken = new Map<string, number[]>();
  for (let round = 0; round <= rounds; round++) {
    for (const concurrency of concurrencies) {
      for (const { name, run } of contenders) {
        const seconds = await run(concurrency);
        const what = round === 0 ? 'warm-up' : `round ${round} of ${rounds}`;
        console.log(`${what}: ${name}, concurrency ${concurrency}: ${perSecond(jobs, seconds)}/s`);
        const key = `${name} ${concurrency}`;
        if (round > 0) taken.set(key, [...(taken.get(key) ?? []), seconds]);
      }
    }
  }
  return new Map([...taken].map(([key, seconds]) => [key, median(seconds)]));
}

function compare(concurrency: number, durability: string, ratio: number, wanted: number): void {
  const name = `against the best of BullMQ AOF ${durability}, concurrency ${concurrency}`;
  const reached = wanted === 1 ? ratio > wanted : ratio >= wanted;
  targets.push({ name, wanted: wanted === 1 ? 'above 1x' : `${wanted}x or more`, measured: ratio, reached });
}

async function measureBacklog() {
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
    const ratio = many[what] / few[what];
    const name = `${what} with 1,000,000 queued, against 10,000`;
    targets.push({ name, wanted: '1.5x or less', measured: ratio, reached: ratio <= 1.5 });
  }
  return [few, many];
}

async function measurePipeline() {
  console.log(
    '\nthree queues in a row, publish on, wait for the confirm, ack: messages per second through all of them',
  );
  const results: { concurrency: number; perSecond: number }[] = [];
  for (const concurrency of concurrencies) {
    const seconds: number[] = [];
    for (let round = 0; round < rounds; round++) seconds.push(await pipeline(concurrency));
    results.push({ concurrency, perSecond: jobs / median(seconds) });
  }
  printTable(results.map((result) => [`concurrency ${result.concurrency}`, perSecond(result.perSecond, 1)]));
  return results;
}
