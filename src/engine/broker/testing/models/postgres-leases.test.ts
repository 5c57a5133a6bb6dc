import { after, before, test } from 'node:test';
import { openPostgresPool } from '../../../database/postgres/pool.ts';
import { eventually } from '../../../testing/eventually.ts';
import { sharedPostgres } from '../../../testing/servers/shared.ts';
import { type Clock, systemClock } from '../../../time/clock.ts';
import type { Broker } from '../../broker.ts';
import { openPostgresBroker } from '../../postgres.ts';
import { compareWithModel } from './lease-commands.ts';
import { queue, type RealLeases } from './real-leases.ts';

const consumers = 2;
/** So long that no lease lapses by itself, and no message delay is mistaken for the pause between two upkeeps. */
const leaseMs = 3 * 7_200_000;

let server: Awaited<ReturnType<typeof sharedPostgres>>;
before(async () => {
  server = await sharedPostgres();
});
after(() => server.close());

test('leases in PostgreSQL match the model, whichever consumers are killed, forgotten or late', {
  timeout: 300_000,
}, async () => {
  await compareWithModel({ open, consumers, mayLapse: true, numRuns: 8 });
});

/** The system's time, but upkeep runs only on request. */
class UpkeepClock implements Clock {
  #due: (() => void) | undefined;
  now = systemClock.now;

  after(ms: number, callback: () => void): () => void {
    if (ms !== leaseMs / 3) return systemClock.after(ms, callback);
    this.#due = callback;
    return () => {
      this.#due = undefined;
    };
  }

  /** Runs one complete upkeep, after the one under way. */
  async upkeep(): Promise<void> {
    const due = await this.waits();
    this.#due = undefined;
    due();
    await this.waits();
  }

  waits(): Promise<() => void> {
    return eventually('upkeep waits for its time', () => this.#due);
  }
}

/** The status is answered only after all pending writes. */
async function written(broker: Broker): Promise<void> {
  await broker.status(queue);
}

async function open(): Promise<RealLeases> {
  const url = await server.createDatabase();
  const pool = await openPostgresPool({ url, max: 1 });
  const brokers: { broker: Broker; clock: UpkeepClock; lease: number }[] = [];
  const all: Broker[] = [];
  const known = new Set<number>();

  const newLease = () =>
    eventually('there is a new lease', async () => {
      const { rows } = await pool.query<{ number: number }>('SELECT number FROM pismak_broker.process');
      const number = rows.map((row) => Number(row.number)).find((one) => !known.has(one));
      if (number !== undefined) known.add(number);
      return number;
    });
  const start = async (who: number) => {
    const clock = new UpkeepClock();
    const broker = await openPostgresBroker({ url, clock, leaseMs });
    all.push(broker);
    await broker.declare(queue);
    await clock.waits();
    await written(broker);
    brokers[who] = { broker, clock, lease: await newLease() };
  };
  const at = (who: number) => {
    const found = brokers[who];
    if (!found) throw new Error(`there is no consumer ${who}`);
    return found;
  };
  const sweepLease = async (who: number) => {
    await pool.query('DELETE FROM pismak_broker.process WHERE number = $1', [at(who).lease]);
  };
  for (let who = 0; who < consumers; who++) await start(who);

  return {
    broker: (who) => at(who).broker,
    chargesWritten: (who) => written(at(who).broker),
    sweepLease,
    async beganAgain(who) {
      at(who).lease = await newLease();
    },
    async kill(who) {
      await sweepLease(who);
      await start(who);
    },
    async upkeep(who) {
      await at(who).clock.upkeep();
      await written(at(who).broker);
    },
    async makeDue() {
      await pool.query('UPDATE pismak_broker.message SET ready_at = 0 WHERE state = 1');
    },
    async close() {
      await Promise.all(all.map((broker) => broker.close()));
      await pool.close();
    },
  };
}
