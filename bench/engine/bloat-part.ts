import { setTimeout as wait } from 'node:timers/promises';
import { openPostgresPool } from '../../src/engine/database/postgres/pool.ts';
import { startPostgres } from '../../src/engine/testing/servers/postgres.ts';
import { more } from '../comparable.ts';
import type { Flow, Flowing } from './bloat/flow.ts';
import { graphileWorker, pgBoss, pismak } from './bloat/flows.ts';
import { atLeast, type PartRun, perSecond, printTable } from './report.ts';
import { secondsSince } from './work.ts';

/** Seconds before the first measurement, and those of each measurement. */
const warmUpS = 3;
const stretchS = 10;
const wanted = 0.5;

interface Bend {
  name: string;
  /** Jobs per second: before the stranger came, and at the end of its transaction. */
  without: number;
  beside: number;
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
    ['', 'without', `last ${stretchS} s`, 'ratio', 'jobs meanwhile', 'dead rows'],
    ...bends.map(({ name, without, beside, jobs, dead }) => [
      name,
      perSecond(without, 1),
      perSecond(beside, 1),
      (beside / without).toFixed(2),
      jobs.toLocaleString('en'),
      dead.toLocaleString('en'),
    ]),
  ]);
  for (const { name, without, beside } of bends) {
    if (name !== pismak.name) continue;
    comparable.push(more(`${name}, beside an open transaction, jobs/s`, beside));
    targets.push(atLeast(`${name}: rate at the end of a stranger's transaction`, beside / without, wanted));
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
      const without = await rate(flow);
      const before = flow.done;
      // As pg_dump does, and a psql in which someone has forgotten a transaction.
      const stranger = await pool.connect();
      await stranger.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
      await stranger.query('SELECT txid_current()');
      await wait(Math.max(0, 1000 * (heldS - stretchS)));
      const beside = await rate(flow);
      const jobs = flow.done - before;
      await pool.query('SELECT pg_stat_force_next_flush()');
      const { rows } = await pool.query<{ dead: string }>(
        'SELECT coalesce(sum(n_dead_tup), 0) AS dead FROM pg_stat_user_tables',
      );
      await stranger.query('ROLLBACK');
      stranger.release();
      console.log(`${name}: ${perSecond(without, 1)}/s, then ${perSecond(beside, 1)}/s`);
      return { name, without, beside, jobs, dead: Number(rows[0]?.dead) };
    } finally {
      await flow.stop();
      await pool.close();
    }
  } finally {
    await server.close();
  }
}

async function rate(flow: Flow): Promise<number> {
  const [before, start] = [flow.done, performance.now()];
  await wait(1000 * stretchS);
  return (flow.done - before) / secondsSince(start);
}
