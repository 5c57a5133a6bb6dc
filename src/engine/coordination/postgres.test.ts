import { after, before, type TestContext } from 'node:test';
import { openPostgresPool } from '../database/postgres/pool.ts';
import { eventually } from '../testing/eventually.ts';
import { sharedPostgres } from '../testing/servers/shared.ts';
import { openPostgresCoordination } from './postgres.ts';
import { type CoordinationUnderTest, coordinationContract } from './testing/contract.ts';

let server: Awaited<ReturnType<typeof sharedPostgres>>;
before(async () => {
  server = await sharedPostgres();
});
after(() => server.close());

async function create(t: TestContext): Promise<CoordinationUnderTest> {
  const url = await server.createDatabase();
  const pool = await openPostgresPool({ url, max: 1 });
  t.after(() => pool.close());
  const open = () => openPostgresCoordination({ url, report: () => {} });
  let tree = await open();
  return {
    open: (identity) => tree.openSession(identity),
    // What a sweep does to a silent session.
    async expire(session) {
      await pool.query('DELETE FROM pismak_coordination.session WHERE name = $1', [session.session]);
      await eventually('the session knows', () => session.lost.aborted);
    },
    async restart() {
      await tree.close();
      tree = await open();
    },
    close: () => tree.close(),
  };
}

coordinationContract('PostgreSQL', create);
