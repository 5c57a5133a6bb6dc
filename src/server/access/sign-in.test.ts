import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { attackedAccounts, attackingAddresses } from '../../engine/health/checks/attacked-accounts.ts';
import { lookOnce } from '../../engine/health/checks/check.ts';
import { ManualClock } from '../../engine/time/clock.ts';
import { passwordOf, type RunningServer, runServer } from '../testing/running-server.ts';
import { trimFailures } from './sign-in-limits.ts';

const minute = 60_000;

/** Behind a proxy that says where a request comes from. */
async function run(t: TestContext, clock = new ManualClock()) {
  const server = await runServer(t, { clock, http: { trustProxy: true, requestsPerMinute: 1_000_000 } });
  return { server, clock };
}

const signIn = (server: RunningServer, name: string, password: string, from: string) =>
  server.call('session.login', { name, password }, { headers: { 'x-forwarded-for': from } });

const guess = async (server: RunningServer, name: string, from: string) =>
  (await signIn(server, name, 'a wrong password', from)).status;

/** As if an account had been guessed from many places before. */
async function attackFrom(server: RunningServer, name: string, networks: number) {
  const statuses: number[] = [];
  for (let count = 0; count < networks; count++)
    statuses.push(await guess(server, name, `198.51.100.${count}`));
  return statuses;
}

/** A few guesses for each of many users. */
async function spray(server: RunningServer, from: string, guesses: number) {
  const statuses: number[] = [];
  for (let count = 0; count < guesses; count++) {
    if (count % 4 === 0) await server.signUp(`user${count}`, 'user');
    statuses.push(await guess(server, `user${count - (count % 4)}`, from));
  }
  return statuses;
}

test('after five failures from one network a guesser waits longer and longer, and the right password as long', async (t) => {
  const { server, clock } = await run(t);
  await server.signUp('anna', 'user');
  for (let count = 0; count < 5; count++)
    assert.equal(await guess(server, 'anna', `2001:db8::${count}`), 401);
  const waits: number[] = [];
  for (let round = 0; round < 7; round++) {
    const refused = await signIn(server, 'anna', passwordOf('anna'), '2001:db8::77');
    assert.deepEqual([refused.status, refused.body.error.code], [429, 'too-many-requests']);
    const seconds = Number(refused.headers.get('retry-after'));
    assert.equal(refused.body.error.details.retryAfterSeconds, seconds);
    waits.push(seconds);
    clock.advance(seconds * 1000);
    assert.equal(await guess(server, 'anna', '2001:db8::1'), 401);
  }
  assert.deepEqual(waits, [15, 30, 60, 120, 240, 300, 300]);
  clock.advance(300_000);
  assert.equal((await signIn(server, 'anna', passwordOf('anna'), '2001:db8::77')).status, 200);
  assert.equal(await guess(server, 'anna', '2001:db8::77'), 401, 'a success is a new beginning');
});

test('failures elsewhere do not lock a user out: not at all where the user is known, and for a minute elsewhere', async (t) => {
  const { server, clock } = await run(t);
  await server.signUp('anna', 'user');
  assert.equal((await signIn(server, 'anna', passwordOf('anna'), '192.0.2.1')).status, 200);
  const statuses = await attackFrom(server, 'anna', 80);
  assert.deepEqual([statuses.slice(0, 50), statuses[51]], [Array(50).fill(401), 429]);

  assert.equal((await signIn(server, 'anna', passwordOf('anna'), '192.0.2.1')).status, 200);
  const told = await signIn(server, 'anna', passwordOf('anna'), '192.0.2.99');
  const seconds = Number(told.headers.get('retry-after'));
  assert.deepEqual([told.status, seconds <= 60], [429, true]);
  clock.advance(seconds * 1000);
  // Whatever strangers do meanwhile, the turn that was promised stays.
  await attackFrom(server, 'anna', 20);
  assert.equal((await signIn(server, 'anna', passwordOf('anna'), '192.0.2.99')).status, 200);
});

test('an address that tries one password on many names is slowed down; others sign in as ever', async (t) => {
  const { server } = await run(t);
  await server.signUp('anna', 'user');
  const statuses = await spray(server, '203.0.113.5', 32);
  assert.deepEqual(statuses, [...Array(30).fill(401), 429, 429]);
  assert.equal((await signIn(server, 'anna', passwordOf('anna'), '203.0.113.5')).status, 429);
  assert.equal((await signIn(server, 'anna', passwordOf('anna'), '203.0.113.6')).status, 200);
});

test('right passwords count for nothing: an office signs in from one address', async (t) => {
  const { server } = await run(t);
  for (let count = 0; count < 40; count++) {
    await server.signUp(`user${count}`, 'user');
    const { status } = await signIn(server, `user${count}`, passwordOf(`user${count}`), '203.0.113.5');
    assert.equal(status, 200);
  }
});

test('names that do not exist are limited like those that do, and none is stored', async (t) => {
  const { server } = await run(t);
  await server.signUp('anna', 'user');
  const answers = async (name: string, from: string) => {
    const all = [];
    for (let count = 0; count < 6; count++)
      all.push((await signIn(server, name, 'wrong password', from)).body);
    return all;
  };
  assert.deepEqual(await answers('hunter2hunter2', '192.0.2.1'), await answers('anna', '192.0.2.2'));
  const { database } = server.engine;
  const stored = JSON.stringify([
    await database.query.selectFrom('signInFailure').selectAll().execute(),
    await database.query.selectFrom('audit').selectAll().execute(),
    server.engine.events.recent(),
  ]);
  assert.doesNotMatch(stored, /hunter2/);
  assert.match(stored, /anna/);
});

test('guesses at the same moment are not more than one after the other', async (t) => {
  const { server } = await run(t);
  await server.signUp('anna', 'user');
  const all = Array.from({ length: 15 }, () => guess(server, 'anna', '192.0.2.1'));
  const statuses = await Promise.all(all);
  assert.equal(statuses.filter((status) => status === 401).length, 5, `${statuses}`);
});

test('limits hold over a restart: they are in the database', async (t) => {
  const { server, clock } = await run(t);
  await server.signUp('anna', 'user');
  for (let count = 0; count < 5; count++) await guess(server, 'anna', '192.0.2.1');
  await server.close();
  await server.engine.close();
  const restarted = await runServer(t, {
    clock,
    http: { trustProxy: true },
    settings: { data: server.engine.settings.data },
  });
  assert.equal((await signIn(restarted, 'anna', passwordOf('anna'), '192.0.2.1')).status, 429);
  assert.equal((await signIn(restarted, 'anna', passwordOf('anna'), '203.0.113.9')).status, 200);
});

test('the table of failures stays bounded, and the worst offenders stay in it', async (t) => {
  const { server, clock } = await run(t);
  const { database } = server.engine;
  const row = { scope: 'pair', shown: null, lastAt: clock.now() };
  for (let start = 0; start < 25_000; start += 1000) {
    const values = Array.from({ length: 1000 }, (_, index) => ({
      ...row,
      subject: `${start + index}`,
      failures: start + index === 3 ? 9 : 1,
    }));
    await database.query.insertInto('signInFailure').values(values).execute();
  }
  await trimFailures(database, clock.now());
  const left = await database.query.selectFrom('signInFailure').select('subject').execute();
  assert.equal(left.length, 20_000);
  assert.ok(left.some(({ subject }) => subject === '3'));
  await trimFailures(database, clock.now() + 61 * minute);
  assert.deepEqual(await database.query.selectFrom('signInFailure').selectAll().execute(), []);
});

test('an attack raises alerts about the account and the address, which end when it does', async (t) => {
  const { server, clock } = await run(t);
  await server.signUp('anna', 'user');
  const { alerts, log } = server.engine;
  const open = async () => {
    await lookOnce([attackedAccounts(server.engine), attackingAddresses(server.engine)], {
      alerts,
      clock,
      log,
    });
    return (await alerts.list()).map(({ kind, entity }) => `${kind} ${entity}`).sort();
  };
  assert.deepEqual(await open(), []);
  await attackFrom(server, 'anna', 25);
  await spray(server, '203.0.113.5', 30);
  assert.deepEqual(await open(), ['account.attacked anna', 'address.attacking 203.0.113.5']);
  clock.advance(16 * minute);
  assert.deepEqual(await open(), []);
});

test('a clock that was wrong for a while locks nobody out', async (t) => {
  const { server, clock } = await run(t, new ManualClock(1_700_000_000_000 + 400 * 24 * 60 * minute));
  await server.signUp('anna', 'user');
  for (let count = 0; count < 6; count++) await guess(server, 'anna', '192.0.2.1');
  clock.advance(-400 * 24 * 60 * minute);
  assert.equal((await signIn(server, 'anna', passwordOf('anna'), '192.0.2.1')).status, 200);
});

test('a stolen session can’t be used to guess the password', async (t) => {
  const { server } = await run(t);
  const anna = await server.signUp('anna', 'user');
  const change = (current: string) =>
    server.call('user.password', { current, password: 'a better password' }, anna);
  for (let count = 0; count < 5; count++) assert.equal((await change(`guess ${count}`)).status, 403);
  assert.equal((await change(passwordOf('anna'))).status, 429);
});

test('the audit log says who signed in and out, and counts failures in few rows', async (t) => {
  const { server } = await run(t);
  await server.signUp('anna', 'user');
  for (let count = 0; count < 4; count++) await guess(server, 'anna', '192.0.2.1');
  for (let count = 0; count < 3; count++) await guess(server, `nobody${count}`, '192.0.2.1');
  const login = await signIn(server, 'anna', passwordOf('anna'), '192.0.2.1');
  const cookie = login.headers.get('set-cookie')?.split(';')[0] ?? '';
  const origin = { 'sec-fetch-site': 'same-origin', 'x-forwarded-for': '192.0.2.1' };
  assert.equal((await server.call('session.logout', {}, { cookie, headers: origin })).status, 200);
  const { body } = await server.call('audit.ls', {}, { key: server.localToken });
  assert.deepEqual(
    body.entries.map(({ actor, operation, outcome, address, owner, count }: Record<string, unknown>) => [
      actor,
      operation,
      outcome,
      address,
      owner,
      count,
    ]),
    [
      ['anna', 'session.logout', 'ok', '192.0.2.1', null, 1],
      ['anna', 'session.login', 'ok', '192.0.2.1', null, 1],
      ['(nobody)', 'session.login', 'not-signed-in', '192.0.2.1', null, 3],
      ['(nobody)', 'session.login', 'not-signed-in', '192.0.2.1', 'anna', 4],
    ],
  );
});
