/**
 * Series and tables beside plain rows in SQLite, PostgreSQL 15 and DuckDB, on the same data and the same questions; all answers must be
 * equal. Warm: every call has another filter and interval, and no answer is remembered. Also the rate of ingesting events.
 * `npm run bench -- statistics [--entities 50000] [--days 731] [--rounds 40] [--only pismak,duckdb,sqlite,postgres,ingest]
 * [--json FILE]`
 */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startPostgres } from '../src/engine/testing/servers/postgres.ts';
import { type Contestant, measure, type Question, type Times } from './statistics/contest.ts';
import { duckdb, postgres, sqlite } from './statistics/engines.ts';
import { ingestRate } from './statistics/ingest-rate.ts';
import { openOurs } from './statistics/ours.ts';
import { plainRows } from './statistics/sql.ts';
import { printMarkdown } from './transcription/report.ts';

const { values } = parseArgs({
  options: {
    json: { type: 'string' },
    entities: { type: 'string', default: '50000' },
    days: { type: 'string', default: '731' },
    rounds: { type: 'string', default: '40' },
    only: { type: 'string', default: 'pismak,duckdb,sqlite,postgres,ingest' },
  },
});
const only = new Set(values.only.split(','));
/** 2024-01-01, a Monday. */
const firstDay = 19_723;
const shape = { entities: Number(values.entities), days: Number(values.days), firstDay, seed: 1 };
const small = { ...shape, entities: 1000, seed: 2 };
const rounds = Number(values.rounds);
const weeks = Math.floor(shape.days / 7);

/** Whole weeks, so that rows by week can answer too; a filter that keeps about 30 %. */
const seriesOf = (user: string, over: Question['over']): Question[] =>
  Array.from({ length: rounds }, (_, round) => ({
    ...{ user, over, costBelow: 900_000 + 1000 * round },
    ...{ from: firstDay + 7 * (round % 5), to: firstDay + 7 * (weeks - (round % 3)) - 1 },
  }));
const tables: Question[] = Array.from({ length: rounds }, (_, round) => {
  const to = firstDay + shape.days - 2 - round;
  return { user: 'big', over: 'interval', from: Math.max(firstDay, to - 89), to };
});
const questions: [
  string,
  (contestant: Contestant) => (question: Question) => Promise<number[]>,
  Question[],
][] = [
  ['weekly series, filter over all time', ({ series }) => series, seriesOf('big', 'all')],
  ['weekly series, filter over the interval', ({ series }) => series, seriesOf('big', 'interval')],
  ['90 days, top 50', ({ table }) => table, tables],
  ['user with 1,000 entities, weekly series', ({ series }) => series, seriesOf('small', 'all')],
];

const directory = await mkdtemp(join(tmpdir(), 'pismak-bench-'));
const server = only.has('postgres') ? await startPostgres() : undefined;
const opened: Record<string, () => Promise<Contestant>> = {
  pismak: () => openOurs('sqlite:', join(directory, 'pismak.db')),
  duckdb: async () => plainRows(await duckdb(join(directory, 'duck.db')), false),
  sqlite: async () => plainRows(await sqlite(join(directory, 'rows.db')), true),
  postgres: async () => plainRows(await postgres((await server?.createDatabase()) ?? ''), true),
};
const figures: Record<string, Record<string, Times>> = {};
const expected = new Map<string, number[][]>();
try {
  for (const [key, open] of Object.entries(opened)) {
    if (!only.has(key)) continue;
    const contestant = await open();
    const began = performance.now();
    await contestant.load('big', shape);
    await contestant.load('small', small);
    await contestant.finish();
    console.log(`${contestant.name}: loaded in ${((performance.now() - began) / 1000).toFixed(0)} s`);
    const ofOne: Record<string, Times> = {};
    for (const [name, ask, list] of questions) {
      // Once before: data in memory, code compiled.
      await measure(list.slice(0, 5), ask(contestant));
      const { times, answers } = await measure(list, ask(contestant));
      ofOne[name] = times;
      // The same sums everywhere, or the times mean nothing.
      assert.deepEqual(answers, expected.get(name) ?? answers, `${contestant.name}: ${name}`);
      expected.set(name, answers);
    }
    figures[contestant.name] = ofOne;
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
  const ingest = only.has('ingest') ? await ingestRate(join(directory, 'ingest.db')) : undefined;
  if (ingest) console.log(`\ningest into slots: ${Math.round(ingest.perSecond)} events per s`);
  const machine = { cores: availableParallelism(), load: loadavg()[0] };
  if (values.json)
    await writeFile(values.json, JSON.stringify({ shape, machine, figures, ingest }, undefined, 2));
} finally {
  await server?.close();
  await rm(directory, { recursive: true, force: true });
}
