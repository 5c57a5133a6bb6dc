import assert from 'node:assert/strict';
import { after, type TestContext, test } from 'node:test';
import { startPostgres } from '../../engine/testing/servers/postgres.ts';
import { passwordOf, runServer } from '../testing/running-server.ts';
import { trimFailures } from './sign-in-limits.ts';

const postgres = await startPostgres();
after(() => postgres.close());

/** Two servers, as two processes on two machines, on one PostgreSQL. */
async function runCluster(t: TestContext, more: object = {}) {
  const url = await postgres.createDatabase();
  const settings = { database: url, coordination: url, ...more };
  const http = { requestsPerMinute: 1_000_000 };
  return [await runServer(t, { settings, http }), await runServer(t, { settings, http })] as const;
}

test('guesses at the same moment on two servers count together, and an ended session ends on both', async (t) => {
  const [one, two] = await runCluster(t);
  await one.signUp('anna', 'user');
  const login = await one.call('session.login', { name: 'anna', password: passwordOf('anna') });
  const cookie = login.headers.get('set-cookie')?.split(';')[0] ?? '';
  assert.equal((await two.call('session.show', {}, { cookie })).status, 200);

  const guesses = Array.from({ length: 16 }, (_, index) =>
    (index % 2 ? one : two).call('session.login', { name: 'anna', password: 'a wrong password' }),
  );
  const statuses = (await Promise.all(guesses)).map(({ status }) => status).sort();
  // Two per server are looked at together: those that came before the first was counted.
  const looked = statuses.filter((status) => status === 401).length;
  assert.ok(looked >= 5 && looked <= 8, `${statuses}`);
  for (const server of [one, two]) {
    const right = await server.call('session.login', { name: 'anna', password: passwordOf('anna') });
    assert.equal(right.status, 429);
  }

  const [session] = (await two.call('session.ls', {}, { key: two.localToken })).body.sessions;
  assert.equal((await two.call('session.end', { id: session.id }, { key: two.localToken })).status, 200);
  assert.equal((await one.call('session.show', {}, { cookie })).status, 401);
});

test('the cap on keys holds when two servers make them at the same moment', async (t) => {
  const [one, two] = await runCluster(t, { access: { keysPerUser: 5 } });
  const anna = await one.signUp('anna', 'user');
  const made = await Promise.all(
    Array.from({ length: 12 }, (_, index) => (index % 2 ? one : two).call('key.create', { name: 'k' }, anna)),
  );
  assert.equal(made.filter(({ status }) => status === 200).length, 4);
});

test('audit, export, secrets, retired names and trimming work on PostgreSQL as they do on SQLite', async (t) => {
  const [one, two] = await runCluster(t);
  const root = await one.signUp('root', 'admin');
  await one.signUp('anna', 'user');
  for (let count = 0; count < 8; count++) await one.call('stage.delete', { name: 'missing' }, root);
  const { entries } = (await two.call('audit.ls', { operation: 'stage.delete' }, root)).body;
  assert.deepEqual(
    entries.map(({ count }: { count: number }) => count),
    [4, 1, 1, 1, 1],
  );
  const lines = (await two.call('audit.export', { operation: 'stage.delete' }, root)).text.trim().split('\n');
  assert.equal(lines.length, 5);
  assert.equal((await one.call('secret.create', { owner: 'anna' }, root)).status, 200);
  assert.equal((await two.call('secret.create', { owner: 'anna' }, root)).status, 409);
  assert.equal((await two.call('secret.rotate', { owner: 'anna' }, root)).status, 200);
  assert.equal((await one.call('secret.ls', {}, root)).body.secrets.length, 2);
  assert.equal((await one.call('user.delete', { name: 'anna' }, root)).status, 200);
  const again = { name: 'anna', password: 'somebody else' };
  assert.equal((await two.call('user.create', again, root)).status, 409);

  const { database, clock } = one.engine;
  const row = { scope: 'pair', shown: null, lastAt: clock.now() };
  for (let start = 0; start < 21_000; start += 1000) {
    const values = Array.from({ length: 1000 }, (_, index) => ({
      ...row,
      subject: `${start + index}`,
      failures: 1,
    }));
    await database.query.insertInto('signInFailure').values(values).execute();
  }
  await trimFailures(database, clock.now());
  assert.equal((await database.query.selectFrom('signInFailure').select('subject').execute()).length, 20_000);
});
