import type { LastingConnection, Statement } from '../../database/postgres/lasting-connection.ts';
import type { Clock } from '../../time/clock.ts';
import { DelayTimer } from '../delay-timer.ts';
import type { Lease } from './lease.ts';
import { channel } from './schema.ts';

const step = 2000;

/**
 * After a failover, processes reconnect at different times: only a process that has been connected for a whole lease may
 * declare others dead. A trigger frees their claims.
 */
const forgetDead: Statement = {
  name: 'forget-dead',
  text: `DELETE FROM process WHERE lease_until < now_ms() AND (SELECT backend_start FROM pg_stat_activity
    WHERE pid = pg_backend_pid()) < clock_timestamp() - $1 * interval '1 millisecond'`,
};
/** What fell due earlier is left to the upkeep: what vacuum can't remove yet would be stepped over each time. */
const recently = 60_000;
/** Notices are sent at once, so that they survive us. Times are subqueries, so that they are computed once and limit the scan. */
export const promote: Statement = {
  name: 'promote',
  text: `
    WITH promoted AS (
      UPDATE message SET state = 0, ready_at = NULL WHERE seq = ANY (ARRAY(
        SELECT seq FROM message WHERE state = 1 AND ready_at <= (SELECT now_ms())
          AND ready_at >= (SELECT CASE WHEN $2 THEN 0 ELSE now_ms() - ${recently} END) ORDER BY ready_at
        LIMIT $1 FOR UPDATE SKIP LOCKED))
      RETURNING queue, lane, seq),
    came AS MATERIALIZED (
      SELECT name, bool_or(lane = 0) AS high, min(seq) AS first
      FROM promoted JOIN queue ON number = queue WHERE name IS NOT NULL GROUP BY name)
    SELECT name, high, first, CASE WHEN EXISTS (SELECT FROM process WHERE number <> $3)
      THEN pg_notify('${channel}', CASE WHEN high THEN 'h' ELSE 'n' END || first || ':' || name)::text END FROM came`,
};
const nextDue: Statement = {
  name: 'next-due',
  text: `SELECT ready_at - now_ms() FROM message WHERE state = 1 AND ready_at > (SELECT now_ms() - ${recently}) ORDER BY ready_at LIMIT 1`,
};
/** Adds the counts of periods that are over to the sum of their queue. Those that a stuck transaction has locked must not hold us up. */
const addUpCounts: Statement = {
  name: 'add-up-counts',
  text: `
    WITH past AS MATERIALIZED (
      SELECT queue, period, shard FROM counts WHERE period > 0 AND period < this_period() - 2 FOR UPDATE SKIP LOCKED),
    gone AS (
      DELETE FROM counts AS c USING past WHERE c.queue = past.queue AND c.period = past.period AND c.shard = past.shard
      RETURNING c.*)
    INSERT INTO counts SELECT queue, 0, 0, sum(high), sum(normal), sum(delayed), sum(dead), max(period) + 1 FROM gone GROUP BY queue
    ON CONFLICT (queue, period, shard) DO UPDATE SET high = counts.high + excluded.high,
      normal = counts.normal + excluded.normal, delayed = counts.delayed + excluded.delayed, dead = counts.dead + excluded.dead,
      since = greatest(counts.since, excluded.since)`,
};
const removedQueues: Statement = {
  name: 'removed-queues',
  text: 'SELECT number FROM queue WHERE name IS NULL',
};

/** Periodic work: renew the lease, take messages from dead processes, and make due messages ready. */
export class Upkeep {
  readonly #connection: LastingConnection;
  readonly #clock: Clock;
  readonly #lease: Lease;
  readonly #leaseMs: number;
  readonly #wake: (queue: string, high: boolean, first: number) => void;
  readonly #review: () => void;
  readonly #finishRemoval: (number: number) => Promise<void>;
  readonly timer: DelayTimer;
  #cancel = () => {};
  #closed = false;
  #working: Promise<void> | undefined;

  constructor(parts: {
    connection: LastingConnection;
    clock: Clock;
    lease: Lease;
    leaseMs: number;
    wake: (queue: string, high: boolean, first: number) => void;
    review: () => void;
    finishRemoval: (number: number) => Promise<void>;
  }) {
    this.#connection = parts.connection;
    this.#clock = parts.clock;
    this.#lease = parts.lease;
    this.#leaseMs = parts.leaseMs;
    this.#wake = parts.wake;
    this.#review = parts.review;
    this.#finishRemoval = parts.finishRemoval;
    this.timer = new DelayTimer(this.#clock, () => void this.#promote());
  }

  start(): void {
    this.#working = this.#work().finally(() => {
      if (!this.#closed) this.#cancel = this.#clock.after(this.#leaseMs / 3, () => this.start());
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#cancel();
    this.timer.close();
    await this.#working;
  }

  /** If the server is away now, it may be back next time. */
  async #work(): Promise<void> {
    try {
      await this.#lease.renew();
      await this.#connection.query(forgetDead, [this.#leaseMs]);
      await this.#connection.query(addUpCounts);
      for (const [number] of await this.#connection.query<[number]>(removedQueues))
        await this.#finishRemoval(number);
      await this.#promote(true);
    } catch {
      // Callers that need the server get the error from their own query.
    }
    this.#review();
  }

  async #promote(all = false): Promise<void> {
    try {
      await this.#promoteDue(all);
      const [next] = await this.#connection.query<[number]>(nextDue);
      if (next) this.timer.expect(this.#clock.now() + Math.max(1, next[0]));
    } catch {
      this.timer.expect(this.#clock.now() + 1000);
    }
  }

  async #promoteDue(all: boolean): Promise<void> {
    const values = [step, all, this.#lease.number];
    const rows = await this.#connection.query<[string, boolean, number]>(promote, values);
    if (rows.length === 0) return;
    for (const [queue, high, first] of rows) this.#wake(queue, high, first);
    await this.#promoteDue(all);
  }
}
