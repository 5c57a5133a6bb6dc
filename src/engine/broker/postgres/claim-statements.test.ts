import assert from 'node:assert/strict';
import { after, before, type TestContext, test } from 'node:test';
import { openPostgresPool } from '../../database/postgres/pool.ts';
import { type PostgresServer, startPostgres } from '../../testing/servers/postgres.ts';
import { systemClock } from '../../time/clock.ts';
import { openPostgresBroker } from '../postgres.ts';
import { peek, readStatus } from './administration.ts';
import { settings } from './broker.ts';
import { fetch, settle, settleAndMove, take } from './claim-statements.ts';
import { promote } from './upkeep.ts';

let server: PostgresServer;
before(async () => {
  server = await startPostgres();
});
after(() => server.close());

interface Plan {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Cond'?: string;
  Plans?: Plan[];
}
function scansOf(table: string, plan: Plan): Plan[] {
  const below = (plan.Plans ?? []).flatMap((each) => scansOf(table, each));
  return plan['Relation Name'] === table && plan['Node Type'].endsWith('Scan') ? [plan, ...below] : below;
}

/** Statistics that mislead, once there are other messages. */
const misleading = {
  'there were none': 'VACUUM ANALYZE',
  'one queue had all of them': `INSERT INTO message (queue, lane, published_at, id, body)
    SELECT 1, 1, 0, n, '' FROM generate_series(1, 1000) AS n; ANALYZE; DELETE FROM message`,
  'the statistics were gone': `INSERT INTO message (queue, lane, published_at, id, body)
    SELECT 1, 1, 0, n, '' FROM generate_series(1, 1000) AS n; DELETE FROM pg_statistic;
    UPDATE pg_class SET reltuples = 0, relpages = 1 WHERE relname LIKE 'message%'`,
};

/** The scans of messages in the plan of a statement, made after `before`. */
async function planned(
  t: TestContext,
  text: string,
  parameters: number,
  before = misleading['there were none'],
): Promise<Plan[]> {
  const url = await server.createDatabase();
  const broker = await openPostgresBroker({ url, clock: systemClock });
  const pool = await openPostgresPool({ url, max: 1 });
  t.after(async () => {
    await broker.close();
    await pool.close();
  });
  for (const [name, value] of Object.entries(settings)) await pool.query(`SET ${name} = '${value}'`);
  await pool.query(before);
  await pool.query(`PREPARE asked AS ${text}`);
  const nothing = Array.from({ length: parameters }, () => 'NULL').join();
  const { rows } = await pool.query(`EXPLAIN (FORMAT JSON) EXECUTE asked(${nothing})`);
  return scansOf('message', rows[0]?.['QUERY PLAN'][0].Plan);
}

test('what is due is found without looking at what is due later', async (t) => {
  const scans = await planned(t, promote.text, 3);
  assert.ok(scans.some((scan) => /ready_at <= .*ready_at >= /.test(scan['Index Cond'] ?? '')));
});

/** What a scan looks up: one message, a lane from a place on, a queue, what is delayed in a queue, or what is due. */
const precise = [
  /^\(seq = /,
  /^\(\(queue = .*\(ROW\(lane, seq\) >= .*\(lane <= /,
  /^\(queue = /,
  /^\(\(ROW\(queue, ready_at\) >= .*\(queue <= /,
  /\(ready_at <= .*\(ready_at >= /,
];

for (const [state, before] of Object.entries(misleading)) {
  for (const [statement, parameters] of [
    [settle, 6],
    [settleAndMove, 13],
    [fetch, 2],
    [take, 8],
    [promote, 3],
    [readStatus, 4],
    [peek, 3],
  ] as const) {
    test(`${statement.name} reads no other messages, even when planned while ${state}`, async (t) => {
      const scans = await planned(t, statement.text, parameters, before);
      assert.ok(scans.length > 0);
      for (const { 'Index Cond': condition = 'all of the table' } of scans)
        assert.ok(
          precise.some((one) => one.test(condition)),
          condition,
        );
    });
  }
}
