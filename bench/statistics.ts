/**
 * Series and tables beside plain rows in SQLite, PostgreSQL 15 and DuckDB, on the same data and the same questions; all answers must be
 * equal. Warm: every call has another filter and interval, and no answer is remembered; cold: a new process. Of Pismak alone: the
 * table of one dimension (mean of 80 calls), eight readers at once, reads while events arrive, and the rate of ingesting events.
 * `npm run bench -- statistics [--full] [--entities 5000] [--days 366] [--users 1] [--rounds 20]
 * [--only pismak,clickhouse,duckdb,sqlite,postgres,ingest] [--json FILE]`; `--full` is 50,000 entities, 731 days, 40 rounds: 20 million
 * rows a user. 100 million rows: `--full --users 5 --only pismak,duckdb`.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { startPostgres } from '../src/engine/testing/servers/postgres.ts';
import { startClickHouse } from '../src/statistics/testing/clickhouse-server.ts';
import { type Comparable, less, more } from './comparable.ts';
import { type Contestant, measure, type Progress, type Question, type Times } from './statistics/contest.ts';
import { duckdb, postgres, sqlite } from './statistics/engines.ts';
import { ingestRate } from './statistics/ingest-rate.ts';
import { openOurs } from './statistics/ours.ts';
import { measureReaders, type ReaderFigures } from './statistics/readers.ts';
import { plainRows } from './statistics/sql.ts';
import { printMarkdown } from './transcription/report.ts';

const { values } = parseArgs({
  options: {
    json: { type: 'string' },
    full: { type: 'boolean', default: false },
    entities: { type: 'string' },
    days: { type: 'string' },
    users: { type: 'string', default: '1' },
    rounds: { type: 'string' },
    only: { type: 'string', default: 'pismak,clickhouse,duckdb,sqlite,postgres,ingest' },
    // Without peers, for `bench -- compare`.
    alone: { type: 'boolean', default: false },
  },
});
const usual = values.full
  ? { entities: 50_000, days: 731, rounds: 40 }
  : { entities: 5000, days: 366, rounds: 20 };
const peers = ['duckdb', 'sqlite', 'postgres'];
const only = new Set(values.only.split(',').filter((name) => !values.alone || !peers.includes(name)));
/** 2024-01-01, a Monday. */
const firstDay = 19_723;
const shape = {
  entities: Number(values.entities ?? usual.entities),
  days: Number(values.days ?? usual.days),
  firstDay,
  seed: 1,
};
const small = { ...shape, entities: 1000, seed: 2 };
const rounds = Number(values.rounds ?? usual.rounds);
/** Large users, who are asked in turn. */
const large = Array.from({ length: Number(values.users) }, (_, index) =>
  index === 0 ? 'big' : `big${index}`,
);
const largeOf = (round: number) => large[round % large.length] ?? 'big';
const weeks = Math.floor(shape.days / 7);

/** Whole weeks, so that rows by week can answer too; a filter that keeps about 30 %. */
const seriesOf = (user: string | undefined, over: Question['over']): Question[] =>
  Array.from({ length: rounds }, (_, round) => ({
    user: user ?? largeOf(round),
    over,
    costBelow: 900_000 + 1000 * round,
    from: firstDay + 7 * (round % 5),
    to: firstDay + 7 * (weeks - (round % 3)) - 1,
  }));
const tables: Question[] = Array.from({ length: rounds }, (_, round) => {
  const to = firstDay + shape.days - 2 - round;
  return { user: largeOf(round), over: 'interval', from: Math.max(firstDay, to - 89), to };
});
const questions: [
  string,
  (contestant: Contestant) => (question: Question) => Promise<number[]>,
  Question[],
][] = [
  ['weekly series, filter over all time', ({ series }) => series, seriesOf(undefined, 'all')],
  ['weekly series, filter over the interval', ({ series }) => series, seriesOf(undefined, 'interval')],
  ['90 days, top 50', ({ table }) => table, tables],
  ['user with 1,000 entities, weekly series', ({ series }) => series, seriesOf('small', 'all')],
];

const sayEveryMs = 10_000;
/** A slow engine gets fewer rounds, so that it does not hold up the others for an hour. */
const mostMsPerQuestion = 60_000;
/** As somebody would set it for such data; the defaults are for a machine with little memory. */
const tuned = { shared_buffers: '2GB', work_mem: '256MB', maintenance_work_mem: '1GB', max_wal_size: '8GB' };
const directory = await mkdtemp(join(tmpdir(), 'pismak-bench-'));
const server = only.has('postgres') ? await startPostgres({ settings: tuned }) : undefined;
const clickhouse = only.has('clickhouse') ? await startClickHouse() : undefined;
const ownFile = join(directory, 'pismak.db');
const opened: Record<string, () => Promise<Contestant>> = {
  pismak: () => openOurs('sqlite:', ownFile),
  clickhouse: () => openOurs('sqlite:', join(directory, 'clickhouse.db'), clickhouse?.urlOf() ?? ''),
  duckdb: async () => plainRows(await duckdb(join(directory, 'duck.db')), false),
  sqlite: async () => plainRows(await sqlite(join(directory, 'rows.db')), true),
  postgres: async () => plainRows(await postgres((await server?.createDatabase()) ?? ''), true),
};
let readers: ReaderFigures | undefined;
const figures: Record<string, Record<string, Times>> = {};
const expected = new Map<string, number[][]>();
// Servers don't keep this process alive, but it must see them end.
const awake = setInterval(() => {}, 1000);
try {
  for (const [key, open] of Object.entries(opened)) {
    if (!only.has(key)) continue;
    const contestant = await open();
    const began = performance.now();
    const progress = progressOf(contestant.name);
    for (const [index, user] of large.entries())
      await contestant.load(user, { ...shape, seed: 10 * index + 1 }, progress);
    await contestant.load('small', small, progress);
    await contestant.finish(progress);
    console.log(`${contestant.name}: loaded in ${((performance.now() - began) / 1000).toFixed(0)} s`);
    const ofOne: Record<string, Times> = {};
    for (const [name, ask, list] of questions) {
      // Once before: data in memory, code compiled.
      await measure(list.slice(0, 5), ask(contestant));
      const { times, answers } = await measure(list, ask(contestant), mostMsPerQuestion);
      ofOne[name] = times;
      progress(`${name}: p50 ${times.p50.toFixed(1)} ms, ${answers.length} rounds`, 'step');
      // The same sums everywhere, or the times mean nothing.
      const before = expected.get(name) ?? answers;
      const both = Math.min(answers.length, before.length);
      assert.deepEqual(answers.slice(0, both), before.slice(0, both), `${contestant.name}: ${name}`);
      if (before.length <= answers.length) expected.set(name, answers);
    }
    figures[contestant.name] = ofOne;
    console.log(`${contestant.name}: ${JSON.stringify(ofOne)}`);
    // Whole weeks up to long ago: events that arrive meanwhile change no answer.
    if (isOurs(contestant) && key === 'pismak')
      readers = await measureReaders(contestant, seriesOf('big', 'interval'));
    await contestant.close();
  }
  const names = Object.keys(figures);
  console.log(
    `\n${shape.entities} entities, ${shape.days} days; p50 / least, ms; load ${loadavg()[0]?.toFixed(1)}\n`,
  );
  printMarkdown([
    ['', ...names],
    ...questions.map(([name]) => [
      name,
      ...names.map((engine) => {
        const { p50 = 0, least = 0 } = figures[engine]?.[name] ?? {};
        return `${p50.toFixed(1)} / ${least.toFixed(1)}`;
      }),
    ]),
  ]);
  const cold = only.has('pismak') ? await coldRead(seriesOf('big', 'all')[0]) : undefined;
  if (cold !== undefined) console.log(`\ncold, in a new process: weekly series ${cold.toFixed(0)} ms`);
  if (readers) tellReaders(readers);
  const ingest = only.has('ingest') ? await ingestRate(join(directory, 'ingest.db')) : undefined;
  if (ingest) console.log(`\ningest into slots: ${Math.round(ingest.perSecond)} events per s`);
  const comparable: Comparable[] = [
    ...Object.entries(figures).flatMap(([engine, times]) =>
      Object.entries(times).map(([name, { p50 }]) => less(`${engine}: ${name}, p50 ms`, p50)),
    ),
    ...(cold === undefined ? [] : [less('cold, in a new process, ms', cold)]),
    ...(readers
      ? [
          more('8 readers at once, series/s', readers.together.perSecond),
          less('table of one dimension, ms', readers.filter2.all),
        ]
      : []),
    ...(ingest ? [more('ingest, events/s', ingest.perSecond)] : []),
  ];
  const machine = { cores: availableParallelism(), load: loadavg()[0] };
  if (values.json)
    await writeFile(
      values.json,
      JSON.stringify({ shape, machine, figures, cold, readers, ingest, comparable }, undefined, 2),
    );
} finally {
  await server?.close();
  await clickhouse?.close();
  clearInterval(awake);
  await rm(directory, { recursive: true, force: true });
}

function progressOf(name: string): Progress {
  const began = performance.now();
  let said = began;
  return (what, step) => {
    if (!step && performance.now() - said < sayEveryMs) return;
    said = performance.now();
    console.log(`${name}, ${((said - began) / 1000).toFixed(0)} s: ${what}`);
  };
}

type Ours = Awaited<ReturnType<typeof openOurs>>;

function isOurs(contestant: Contestant): contestant is Ours {
  return 'statistics' in contestant;
}

/** The first answer of a new process, with opening the database, without starting Node. */
async function coldRead(question: Question | undefined): Promise<number> {
  const program = join(import.meta.dirname, 'statistics', 'cold.ts');
  const { stdout } = await promisify(execFile)(process.execPath, [
    program,
    ownFile,
    JSON.stringify(question),
  ]);
  return Number(stdout);
}

function tellReaders({ filter2, alone, together, whileIngesting }: ReaderFigures): void {
  const { eventsPerSecond, p50, p99 } = whileIngesting;
  const ms = (number: number) => `${number.toFixed(1)} ms`;
  console.log(
    [
      `filter2, one dimension, mean of 80 calls: ${ms(filter2.interval)} over the interval, ${ms(filter2.all)} over all time`,
      `8 readers at once: ${together.perSecond.toFixed(0)} series per s, p50 ${ms(together.p50)}, p99 ${ms(together.p99)}`,
      `one reader alone: p50 ${ms(alone.p50)}, p99 ${ms(alone.p99)}`,
      `one reader while ${eventsPerSecond.toFixed(0)} events per s arrive: p50 ${ms(p50)}, p99 ${ms(p99)}`,
    ].join('\n'),
  );
}
