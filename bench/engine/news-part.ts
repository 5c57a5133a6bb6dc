import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { pino } from 'pino';
import { openPostgresBroker } from '../../src/engine/broker/postgres.ts';
import { readHolder } from '../../src/engine/data-directory/data-directory.ts';
import { openDatabase } from '../../src/engine/database/open.ts';
import { openChanges } from '../../src/engine/event/open-changes.ts';
import { startPostgres } from '../../src/engine/testing/servers/postgres.ts';
import { systemClock as clock } from '../../src/engine/time/clock.ts';
import { commands, endsWithUs, RunningPismak } from '../../test/running-pismak.ts';
import { less } from '../comparable.ts';
import { contest } from './contest.ts';
import { runPismak } from './pismak.ts';
import { atLeast, type PartRun, printTable } from './report.ts';
import { type Contender, concurrencies, median } from './work.ts';

const changes = 200;
const withinMs = 1_000;
/** Documents whose pages the jobs are: each tells at most two changes a second. */
const documents = 100;

type Server = Awaited<ReturnType<typeof startPostgres>>;

/**
 * What everyone hears of what everyone does: how long a change made through one process takes to a client of another, and
 * what it costs the queue that every job tells of its document.
 */
export async function newsPart(run: PartRun) {
  const server = await startPostgres();
  try {
    const delays = await measureDelays(server, run);
    return { delays, rates: await measureRates(server, run) };
  } finally {
    await server.close();
  }
}

/** From the call of an operation at one process to the event in the stream of another. */
async function measureDelays(server: Server, { targets, comparable }: PartRun): Promise<number[]> {
  console.log(`\nNews: ${changes} changes through one process, followed at another, on one PostgreSQL`);
  const url = await server.createDatabase();
  const directory = await mkdtemp(join(tmpdir(), 'pismak-news-'));
  const settings = { database: url, coordination: url, broker: url, blobs: url, 'worker.count': 1 };
  const up = [...endsWithUs, ...commands.up];
  const [here, there] = [join(directory, 'here'), join(directory, 'there')];
  const [one, two] = [new RunningPismak(here, settings, up), new RunningPismak(there, settings, up)];
  try {
    await one.start();
    await two.start();
    const tell = await tellerAt(here);
    const heard = new Map<string, (at: number) => void>();
    const stop = await followAt(there, (entity) => heard.get(entity)?.(performance.now()));
    const delays: number[] = [];
    for (let number = 0; number < changes; number++) {
      const entity = `stage-${number}`;
      const arrived = new Promise<number>((resolve) => heard.set(entity, resolve));
      const start = performance.now();
      await tell(entity);
      delays.push((await arrived) - start);
      // Not in step with the batches.
      await wait((number * 37) % 150);
    }
    stop();
    delays.sort((a, b) => a - b);
    const p99 = delays[Math.ceil(0.99 * changes) - 1] ?? Number.NaN;
    const shown = (ms: number) => `${Math.round(ms)} ms`;
    printTable([
      ['delay of a change', 'median', 'p99', 'longest'],
      [
        'from the call to a client of the other process',
        shown(median(delays)),
        shown(p99),
        shown(delays.at(-1) ?? 0),
      ],
    ]);
    targets.push(atLeast(`a change is seen within ${withinMs} ms (p99 of ${changes})`, withinMs / p99, 1));
    comparable.push(less('news, delay of a change, p99, ms', p99));
    return delays;
  } finally {
    await Promise.all([one.kill(), two.kill()]);
    await rm(directory, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** Creates a stage by the API, which is a change that everybody may see. */
async function tellerAt(directory: string) {
  const { url, headers: own } = await accessTo(directory);
  const headers = { ...own, 'content-type': 'application/json' };
  return async (name: string) => {
    const body = JSON.stringify({ name, processor: 'dummy' });
    const answer = await fetch(`${url}/api/v1/stage/create`, { method: 'POST', headers, body });
    if (!answer.ok) throw new Error(await answer.text());
  };
}

async function followAt(directory: string, heard: (entity: string) => void): Promise<() => void> {
  const stop = new AbortController();
  const { url, headers } = await accessTo(directory);
  const { body } = await fetch(`${url}/api/v1/changes`, { headers, signal: stop.signal });
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
  const read = async () => {
    let text = '';
    for (;;) {
      const { value, done } = (await reader?.read()) ?? { done: true };
      if (done) return;
      const events = (text + value).split('\n\n');
      text = events.pop() ?? '';
      for (const event of events) {
        const data = event.split('\n').find((line) => line.startsWith('data: '));
        if (data && event.includes('event: change')) heard(JSON.parse(data.slice(6)).entity);
      }
    }
  };
  read().catch(() => {});
  return () => stop.abort();
}

async function accessTo(directory: string) {
  const { url = '', token } = (await readHolder(directory)) ?? {};
  return { url, headers: { authorization: `Bearer ${token}` } };
}

/** Jobs that do nothing but tell, beside jobs that do nothing, in turns. */
async function measureRates(server: Server, { rounds, targets, comparable }: PartRun) {
  const contender = (name: string, terms: string, tells: boolean): Contender => ({
    name,
    terms,
    async run(concurrency) {
      const url = await server.createDatabase();
      const log = pino({ level: 'silent' });
      const database = await openDatabase(url, { file: '', clock });
      const [here, there] = [
        await openChanges({ database, clock, log, follow: true }),
        await openChanges({ database, clock, log, follow: true }),
      ];
      let heard = 0;
      there.subscribe(() => heard++);
      const broker = await openPostgresBroker({ url, clock });
      let count = 0;
      const tell = () =>
        here.addJoined({
          kind: 'document',
          entity: `${count++ % documents}`,
          owner: 'anna',
          data: { state: 'running' },
        });
      try {
        await broker.declare('jobs');
        const timings = await runPismak(broker, 'jobs', { concurrency, ...(tells && { onJob: tell }) });
        if (tells && heard === 0) throw new Error('no news has arrived');
        return timings;
      } finally {
        await broker.close();
        await here.close();
        await there.close();
        await database.close();
      }
    },
  });
  const told = contender(
    'with news',
    `each job tells of one of ${documents} documents; another process follows`,
    true,
  );
  const silent = contender('without', 'the same connections, and nobody tells anything', false);
  console.log('\nThe queue on PostgreSQL with news and without');
  const figures = await contest([told, silent], rounds);
  figures.print(`News, median of ${rounds} rounds`);
  for (const concurrency of concurrencies) {
    const ratio = figures.rate(told.name, concurrency) / figures.rate(silent.name, concurrency);
    targets.push(atLeast(`the queue’s rate with news, concurrency ${concurrency}`, ratio, 0.95));
  }
  comparable.push(...figures.comparable());
  return figures.all;
}
