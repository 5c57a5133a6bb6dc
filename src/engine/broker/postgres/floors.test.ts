import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openPostgresPool } from '../../database/postgres/pool.ts';
import { eventually } from '../../testing/eventually.ts';
import { sharedPostgres } from '../../testing/servers/shared.ts';
import { systemClock } from '../../time/clock.ts';
import { openPostgresBroker } from '../postgres.ts';
import { drain } from '../testing/contract/scene.ts';
import { Floors } from './floors.ts';

let server: Awaited<ReturnType<typeof sharedPostgres>>;
before(async () => {
  server = await sharedPostgres();
});
after(() => server.close());

const asked = { most: 10, onlyHigh: false, last: 100, tookMs: 1, now: 0 };
const placesOf = (floors: Floors) => floors.columns().slice(1).flat();

test('a message that becomes ready during a search is found by the next one', () => {
  const floors = new Floors();
  const search = floors.begin('letters', true);
  floors.lower('letters', 40);
  floors.end(search, { count: 3, high: null, normal: 90 }, asked);
  assert.deepEqual(placesOf(floors), [40, 40]);
});

test('a search for high messages, or one without an answer, says nothing about normal ones', () => {
  const floors = new Floors();
  floors.end(
    floors.begin('letters', false),
    { count: 10, high: 30, normal: null },
    { ...asked, onlyHigh: true },
  );
  assert.deepEqual(placesOf(floors), [31, 0]);
  floors.end(floors.begin('letters', true), undefined, asked);
  assert.deepEqual(placesOf(floors), [31, 0]);
});

test('now and then a search begins at zero, but such searches take little of the time', () => {
  const { floors, search } = searching();
  search(1, 0);
  assert.equal(search(1, 1), 101);
  floors.review(1000);
  assert.equal(search(2000, 3000), 0);
  floors.review(8000);
  assert.equal(search(1, 8000), 101);
  floors.review(103_000);
  assert.equal(search(1, 103_000), 0);
});

test('a search for high messages, or for some owners, does not pass for a complete one', () => {
  const floors = new Floors();
  floors.end(floors.begin('letters', true), { count: 0, high: null, normal: null }, asked);
  floors.review(1000);
  floors.end(
    floors.begin('letters', false),
    { count: 0, high: null, normal: null },
    { ...asked, onlyHigh: true },
  );
  floors.end(floors.begin('letters', false), undefined, asked);
  assert.equal(floors.begin('letters', true).normal, 0);
});

test('a clock that is set puts no complete search off for long', () => {
  const { floors, search } = searching();
  search(1, 0);
  floors.review(1000);
  const hour = 3_600_000;
  assert.equal(search(hour, hour), 0, 'set forward during a search');
  floors.review(hour + 600_000);
  assert.equal(search(1000, hour), 0);
  floors.review(0);
  assert.equal(search(1, 0), 0, 'set back after a search');
});

/** `search` finds nothing, and returns where it began. */
function searching() {
  const floors = new Floors();
  const search = (tookMs: number, now: number) => {
    const begun = floors.begin('letters', true);
    floors.end(begun, { count: 0, high: null, normal: null }, { ...asked, tookMs, now });
    return begun.normal;
  };
  return { floors, search };
}

test('a stranger’s open transaction leaves a claim as cheap as it was, however many messages were deleted since', async (t) => {
  const url = await server.createDatabase();
  const pool = await openPostgresPool({ url, max: 2 });
  const stranger = await pool.connect();
  await stranger.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
  await stranger.query('SELECT txid_current()');
  const broker = await openPostgresBroker({ url, clock: systemClock, leaseMs: 600_000 });
  t.after(async () => {
    await broker.close();
    stranger.release();
    await pool.close();
  });
  await broker.declare('letters');
  // What autovacuum reads is counted too.
  await pool.query('ALTER TABLE pismak_broker.message SET (autovacuum_enabled = off)');
  // Four messages fill a page.
  const body = new Uint8Array(1800).fill(120);
  let deleted = 0;
  const handle = async (ids: string[]) => {
    await Promise.all(ids.map((id) => broker.publish('letters', { id, body })));
    await drain(broker, 'letters', ids.length, 500);
    deleted += ids.length;
  };
  /**
   * Pages of messages that the server has looked at. Its processes report what they did at most once a second, when they next have
   * work: the one that publishes and the one that claims at different times.
   */
  const pages = async () => {
    const all = deleted;
    return eventually('the server has counted all of it', async () => {
      await handle(['one']);
      const { rows } = await pool.query<{ counted: number; pages: number }>(
        `SELECT least(n_tup_ins, n_tup_del)::float8 AS counted,
           (heap_blks_hit + heap_blks_read + idx_blks_hit + idx_blks_read)::float8 AS pages
         FROM pg_stat_user_tables JOIN pg_statio_user_tables USING (relid) WHERE pg_stat_user_tables.relname = 'message'`,
      );
      return rows[0] && rows[0].counted >= all && rows[0];
    });
  };
  const pagesOfEach = async () => {
    const [before, handled] = [await pages(), deleted];
    for (let n = 0; n < 10; n++) await handle(['one']);
    const seen = (await pages()).pages - before.pages;
    return seen / (deleted - handled);
  };
  const first = await pagesOfEach();
  for (let n = 0; n < 3; n++) await handle(Array.from({ length: 2000 }, (_, index) => `m${n}-${index}`));
  const last = await pagesOfEach();
  t.diagnostic(`${first.toFixed()} pages for a message, then ${last.toFixed()}`);
  // Without floors each would look at 1,500.
  assert.ok(last < 3 * first, `${first.toFixed()} pages for a message, then ${last.toFixed()}`);
});

for (const [what, statement] of [
  ['analysed while one queue had all messages', 'ANALYZE'],
  [
    'without statistics',
    `DELETE FROM pg_statistic; UPDATE pg_class SET reltuples = 0, relpages = 1 WHERE relname LIKE 'message%'`,
  ],
] as const) {
  test(`small queues cost as little beside a large one, even ${what}`, async (t) => {
    const url = await server.createDatabase();
    const pool = await openPostgresPool({ url, max: 1 });
    t.after(() => pool.close());
    const open = () => openPostgresBroker({ url, clock: systemClock, leaseMs: 600_000 });
    const names = Array.from({ length: 10 }, (_, n) => `small-${n}`);
    const first = await open();
    for (const name of ['large', ...names]) await first.declare(name);
    await first.close();
    const message = 'pismak_broker.message';
    await pool.query(`ALTER TABLE ${message} SET (autovacuum_enabled = off)`);
    // Four fill a page.
    await pool.query(
      `INSERT INTO ${message} (queue, lane, published_at, id, body)
       SELECT number, 1, 0, n, convert_to(repeat('x', 1800), 'UTF8')
       FROM pismak_broker.queue CROSS JOIN generate_series(1, 3000) AS n WHERE name = 'large'`,
    );
    await pool.query(statement);

    const pages = async () => {
      // Connections report what they did before they end.
      const { rows } = await eventually('only this connection is left', async () => {
        const found = await pool.query<{ others: number; pages: number }>(
          `SELECT (SELECT count(*)::int FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()) AS others,
             (heap_blks_hit + heap_blks_read + idx_blks_hit + idx_blks_read)::float8 AS pages, pg_stat_force_next_flush()
           FROM pg_statio_user_tables WHERE relname = 'message'`,
        );
        return found.rows[0]?.others === 0 && found;
      });
      return rows[0]?.pages ?? 0;
    };
    await pages();
    const before = await pages();
    // It knows no floor.
    const broker = await open();
    for (const name of names) {
      await broker.publish(name, { id: 'one', body: new Uint8Array(10) });
      await drain(broker, name, 1);
      await broker.status(name);
    }
    await broker.close();
    const seen = (await pages()) - before;
    t.diagnostic(`${seen} pages for ${names.length} messages`);
    // The large queue has 750, for each search.
    assert.ok(seen < 750, `${seen} pages for ${names.length} messages`);
  });
}
