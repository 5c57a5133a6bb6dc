import { openPostgresBroker } from '../../src/engine/broker/postgres.ts';
import { openPostgresPool } from '../../src/engine/database/postgres/pool.ts';
import { startPostgres } from '../../src/engine/testing/servers/postgres.ts';
import { systemClock } from '../../src/engine/time/clock.ts';
import { contest } from './contest.ts';
import { graphile } from './graphile.ts';
import { pgBoss } from './pg-boss.ts';
import { runPismak } from './pismak.ts';
import { above, type PartRun } from './report.ts';
import { type Contender, concurrencies } from './work.ts';

/** The broker on PostgreSQL beside graphile-worker and pg-boss, on one server with the settings that it comes with. */
export async function postgresPart({ rounds, alone, targets, comparable }: PartRun) {
  console.log('\nPostgreSQL: one server for all, synchronous_commit on, a new database for each run');
  const server = await startPostgres();
  try {
    const createDatabase = async () => {
      const url = await server.createDatabase();
      // No contender pays for writes that the one before it has left.
      await ask(url, 'CHECKPOINT');
      return url;
    };
    const ours: Contender = {
      name: 'Pismak on PostgreSQL',
      terms: 'all publishes at once, committed in groups of up to 1000; reads up to 400 messages ahead',
      async run(concurrency) {
        const broker = await openPostgresBroker({ url: await createDatabase(), clock: systemClock });
        try {
          await broker.declare('jobs');
          return await runPismak(broker, 'jobs', { concurrency });
        } finally {
          await broker.close();
        }
      },
    };
    const peers = alone ? [] : [...graphile(createDatabase), ...pgBoss(createDatabase)];
    const figures = await contest([ours, ...peers], rounds);
    figures.print(`PostgreSQL, median of ${rounds} rounds`);
    if (alone) {
      comparable.push(...figures.comparable());
      return figures.all;
    }
    for (const peer of ['graphile-worker', 'pg-boss']) {
      for (const concurrency of concurrencies) {
        const ratio = figures.rate(ours.name, concurrency) / figures.best(peer, concurrency);
        targets.push(above(`PostgreSQL against the best of ${peer}, concurrency ${concurrency}`, ratio));
      }
    }
    return figures.all;
  } finally {
    await server.close();
  }
}

/** Resolves when the query finds nothing: completions may be written a little later. */
export async function untilNone(url: string, query: string): Promise<void> {
  const pool = await openPostgresPool({ url, max: 1 });
  try {
    while ((await pool.query(query)).rows.length > 0);
  } finally {
    await pool.close();
  }
}

async function ask(url: string, statement: string): Promise<void> {
  const pool = await openPostgresPool({ url, max: 1 });
  await pool.query(statement).finally(() => pool.close());
}
