import { after, before } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { openPostgresPool } from '../database/postgres/pool.ts';
import { eventually } from '../testing/eventually.ts';
import { sharedPostgres } from '../testing/servers/shared.ts';
import { systemClock } from '../time/clock.ts';
import { openPostgresBroker } from './postgres.ts';
import { brokerContract } from './testing/contract.ts';

let server: Awaited<ReturnType<typeof sharedPostgres>>;
before(async () => {
  server = await sharedPostgres();
});
after(() => server.close());

const leaseMs = 1000;

brokerContract('PostgreSQL', async (t) => {
  const url = await server.createDatabase();
  const pool = await openPostgresPool({ url, max: 1 });
  t.after(() => pool.close());
  /** A process that a test has killed is dead when its lease ends. */
  const openAlone = async (options?: { maxMessageBytes?: number }) => {
    const broker = await openPostgresBroker({ url, clock: systemClock, leaseMs, ...options });
    await eventually('we are alone', async () => {
      const { rows } = await pool.query<{ count: number }>('SELECT count(*) FROM pismak_broker.process');
      return rows[0]?.count === 1;
    });
    return broker;
  };
  return {
    open: openAlone,
    noticeKilled: async () => (await openAlone()).close(),
    now: () => Date.now(),
    async pass(ms) {
      if (ms <= 1000) return wait(ms);
      // The clock is the server's, so what is due moves instead; for a lease, which is renewed, three of it are hours.
      await pool.query('UPDATE pismak_broker.message SET ready_at = ready_at - $1 WHERE state = 1', [ms]);
      if (ms > 3_600_000) await wait(3 * leaseMs);
    },
    laterMs: 60_000,
    process: {
      module: new URL('./postgres.ts', import.meta.url),
      factory: 'openPostgresBroker',
      options: { url, leaseMs },
    },
    keepsPlaces: true,
  };
});
