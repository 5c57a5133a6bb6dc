import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { hasCode } from '../../ground/errors.ts';
import { eventually } from '../../testing/eventually.ts';
import { startPostgres } from '../../testing/servers/postgres.ts';
import type { Database } from '../database.ts';
import { engineMigrations } from '../open.ts';
import { openPostgresDatabase } from '../postgres.ts';

const row = (name: string) => ({ name, value: 'v', createdAt: 1 });
const names = async (database: Database) =>
  (await database.query.selectFrom('secret').select('name').orderBy('name').execute()).map(
    ({ name }) => name,
  );

/** A primary with a synchronous standby, and a database on them. */
async function cluster(context: TestContext) {
  const server = await startPostgres({ standby: true });
  context.after(() => server.close());
  const { standby } = server;
  assert.ok(standby);
  const database = await openPostgresDatabase({ url: server.url });
  context.after(() => database.close());
  await database.migrate(engineMigrations);
  return { server, standby, database };
}

test('after the primary is killed and the standby promoted, writes resume and no resolved write is lost', async (context) => {
  const { server, standby, database } = await cluster(context);
  const stored: string[] = [];
  for (let number = 0; number < 50; number++) {
    const name = `before-${String(number).padStart(2, '0')}`;
    await database.transaction((transaction) => transaction.insertInto('secret').values(row(name)).execute());
    stored.push(name);
  }
  const killed = performance.now();
  await server.primary.kill();
  await assert.rejects(database.query.insertInto('secret').values(row('lost')).execute(), (error) =>
    hasCode(error, 'unavailable'),
  );
  await standby.promote();
  const promoted = performance.now();
  await eventually('writes resume', () =>
    database.query
      .insertInto('secret')
      .values(row('resumed'))
      .execute()
      .catch(() => undefined),
  );
  const [total, ours] = [performance.now() - killed, performance.now() - promoted];
  context.diagnostic(
    `writes resumed ${ours.toFixed(0)} ms after the promotion, ${total.toFixed(0)} ms after the kill`,
  );
  assert.deepEqual(await names(database), [...stored, 'resumed']);

  // The old primary comes back and still thinks it is primary: neither running nor new processes use it.
  await server.primary.start();
  const late = await openPostgresDatabase({ url: server.url });
  assert.ok((await names(late)).includes('resumed'));
  await late.close();
  assert.ok((await names(database)).includes('resumed'));
});

test('a hung primary blocks no one for long: the promoted standby takes over', async (context) => {
  const { server, standby, database } = await cluster(context);
  await database.query.insertInto('secret').values(row('before')).execute();
  await server.primary.freeze();
  const frozen = performance.now();
  const hanging = database.query.insertInto('secret').values(row('hanging')).execute();
  await standby.promote();
  await assert.rejects(hanging, (error) => hasCode(error, 'unavailable'));
  await eventually('writes resume', () =>
    database.query
      .insertInto('secret')
      .values(row('resumed'))
      .execute()
      .catch(() => undefined),
  );
  context.diagnostic(`writes resumed ${(performance.now() - frozen).toFixed(0)} ms after the primary froze`);
  assert.deepEqual(await names(database), ['before', 'resumed']);
});
