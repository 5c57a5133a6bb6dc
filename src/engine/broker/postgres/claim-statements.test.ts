import assert from 'node:assert/strict';
import { after, before, type TestContext, test } from 'node:test';
import { openPostgresPool } from '../../database/postgres/pool.ts';
import { type PostgresServer, startPostgres } from '../../testing/servers/postgres.ts';
import { systemClock } from '../../time/clock.ts';
import { openPostgresBroker } from '../postgres.ts';
import { settings } from './broker.ts';
import { fetch, settle, settleAndMove } from './claim-statements.ts';
import { promote } from './upkeep.ts';

let server: PostgresServer;
before(async () => {
  server = await startPostgres();
});
after(() => server.close());

interface Plan {
  'Relation Name'?: string;
  'Index Cond'?: string;
  Plans?: Plan[];
}
function scansOf(table: string, plan: Plan): Plan[] {
  const below = (plan.Plans ?? []).flatMap((each) => scansOf(table, each));
  return plan['Relation Name'] === table && !plan.Plans ? [plan, ...below] : below;
}

/** The scans of messages in the plan of a statement, made while there were none. */
async function planned(t: TestContext, text: string, parameters: number): Promise<Plan[]> {
  const url = await server.createDatabase();
  const broker = await openPostgresBroker({ url, clock: systemClock });
  const pool = await openPostgresPool({ url, max: 1 });
  t.after(async () => {
    await broker.close();
    await pool.close();
  });
  for (const [name, value] of Object.entries(settings)) await pool.query(`SET ${name} = '${value}'`);
  await pool.query('VACUUM ANALYZE');
  await pool.query(`PREPARE asked AS ${text}`);
  const nothing = Array.from({ length: parameters }, () => 'NULL').join();
  const { rows } = await pool.query(`EXPLAIN (FORMAT JSON) EXECUTE asked(${nothing})`);
  return scansOf('message', rows[0]?.['QUERY PLAN'][0].Plan);
}

test('what is due is found without looking at what is due later', async (t) => {
  const scans = await planned(t, promote.text, 3);
  assert.ok(scans.some((scan) => /ready_at <= .*ready_at >= /.test(scan['Index Cond'] ?? '')));
});

for (const [statement, parameters] of [
  [settle, 6],
  [settleAndMove, 13],
  [fetch, 2],
] as const) {
  test(`${statement.name} looks up its messages only, even when planned while there were none`, async (t) => {
    const scans = await planned(t, statement.text, parameters);
    assert.ok(scans.length > 0);
    for (const scan of scans) assert.match(scan['Index Cond'] ?? 'all of the table', /\bseq = /);
  });
}
