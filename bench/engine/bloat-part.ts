import { readFile } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { openPostgresPool, type PostgresPool } from '../../src/engine/database/postgres/pool.ts';
import { startPostgres } from '../../src/engine/testing/servers/postgres.ts';
import { less, more } from '../comparable.ts';
import type { Flow, Flowing } from './bloat/flow.ts';
import { graphileWorker, pgBoss, pismak } from './bloat/flows.ts';
import { atLeast, type PartRun, perSecond, printTable } from './report.ts';
import { secondsSince } from './work.ts';

/** Seconds before the first measurement, and those of each measurement. */
const warmUpS = 10;
const stretchS = 10;
const wanted = 0.5;

interface Stretch {
  perSecond: number;
  /** What one job cost the server, whatever else the machine does: pages of 8 KB that it looked at, milliseconds of CPU. */
  pages: number;
  cpuMs: number;
}

interface Bend {
  name: string;
  /** Before the stranger came, and at the end of its transaction. */
  without: Stretch;
  beside: Stretch;
  /** Jobs handled during its transaction. */
  jobs: number;
  /** Rows that vacuum could not remove at the end. */
  dead: number;
}

/**
 * What a stranger's open transaction costs a queue. Vacuum may not remove what was deleted since it began, so queues step over more
 * and more dead rows: their number counts, not the minutes. Each contender works as fast as it can, alone on the server.
 */
export async function bloatPart({ alone, heldMinutes, targets, comparable }: PartRun) {
  const contenders = alone ? [pismak] : [pismak, graphileWorker, pgBoss];
  const title = `a stranger's transaction is open for ${heldMinutes} min`;
  console.log(`\nPostgreSQL while ${title}: jobs of 1 KB, one server and a new database for each`);
  const bends: Bend[] = [];
  for (const contender of contenders) bends.push(await measure(contender, heldMinutes * 60));
  console.log(`\nPostgreSQL while ${title}: jobs per second`);
  printTable([
    [
      '',
      'without',
      `last ${stretchS} s`,
      'ratio',
      'pages a job',
      'at the end',
      'CPU ms a job',
      'at the end',
      'jobs meanwhile',
      'dead rows',
    ],
    ...bends.map(({ name, without, beside, jobs, dead }) => [
      name,
      perSecond(without.perSecond, 1),
      perSecond(beside.perSecond, 1),
      (beside.perSecond / without.perSecond).toFixed(2),
      without.pages.toFixed(1),
      beside.pages.toFixed(1),
      without.cpuMs.toFixed(2),
      beside.cpuMs.toFixed(2),
      jobs.toLocaleString('en'),
      dead.toLocaleString('en'),
    ]),
  ]);
  for (const { name, without, beside } of bends) {
    if (name !== pismak.name) continue;
    comparable.push(more(`${name}, beside an open transaction, jobs/s`, beside.perSecond));
    comparable.push(less(`${name}, beside an open transaction, pages a job`, beside.pages));
    targets.push(
      atLeast(
        `${name}: rate at the end of a stranger's transaction`,
        beside.perSecond / without.perSecond,
        wanted,
      ),
    );
  }
  return bends;
}

async function measure({ name, start }: Flowing, heldS: number): Promise<Bend> {
  const server = await startPostgres();
  try {
    const url = await server.createDatabase();
    const flow = await start(url);
    const pool = await openPostgresPool({ url, max: 2 });
    try {
      await wait(1000 * warmUpS);
      const without = await stretch(flow, pool);
      const before = flow.done;
      // As pg_dump does, and a psql in which someone has forgotten a transaction.
      const stranger = await pool.connect();
      await stranger.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
      await stranger.query('SELECT txid_current()');
      await wait(Math.max(0, 1000 * (heldS - stretchS)));
      const beside = await stretch(flow, pool);
      const jobs = flow.done - before;
      await pool.query('SELECT pg_stat_force_next_flush()');
      const { rows } = await pool.query<{ dead: string }>(
        'SELECT coalesce(sum(n_dead_tup), 0) AS dead FROM pg_stat_user_tables',
      );
      await stranger.query('ROLLBACK');
      stranger.release();
      console.log(`${name}: ${perSecond(without.perSecond, 1)}/s, then ${perSecond(beside.perSecond, 1)}/s`);
      return { name, without, beside, jobs, dead: Number(rows[0]?.dead) };
    } finally {
      await flow.stop();
      await pool.close();
    }
  } finally {
    await server.close();
  }
}

async function stretch(flow: Flow, pool: PostgresPool): Promise<Stretch> {
  const [before, done, start] = [await costOf(pool), flow.done, performance.now()];
  await wait(1000 * stretchS);
  const jobs = flow.done - done;
  const perSecond = jobs / secondsSince(start);
  const after = await costOf(pool);
  return {
    perSecond,
    pages: (after.pages - before.pages) / jobs,
    cpuMs: (after.cpuMs - before.cpuMs) / jobs,
  };
}

async function costOf(pool: PostgresPool): Promise<{ pages: number; cpuMs: number }> {
  const { rows } = await pool.query<{ pages: number; pids: number[] }>(
    `SELECT (blks_hit + blks_read)::float8 AS pages, ARRAY(SELECT pid FROM pg_stat_activity) AS pids
     FROM pg_stat_database WHERE datname = current_database()`,
  );
  let ticks = 0;
  for (const pid of rows[0]?.pids ?? []) {
    const [, times = ''] = (await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')).split(') ');
    const [user = 0, system = 0] = times.split(' ').slice(11, 13).map(Number);
    ticks += user + system;
  }
  // Linux counts a hundred ticks a second.
  return { pages: Number(rows[0]?.pages), cpuMs: 10 * ticks };
}
