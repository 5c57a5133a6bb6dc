import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../engine/time/clock.ts';
import { passwordOf, type RunningServer, runServer } from '../testing/running-server.ts';

const day = 24 * 3_600_000;

async function signIn(server: RunningServer, name: string): Promise<string> {
  const answer = await server.call('session.login', { name, password: passwordOf(name) });
  assert.equal(answer.status, 200, answer.text);
  return answer.headers.get('set-cookie')?.split(';')[0] ?? '';
}

const status = async (server: RunningServer, cookie: string) =>
  (await server.call('session.show', {}, { cookie })).status;

test('signing in sets a cookie that scripts and other sites can’t use, and the server stores only its hash', async (t) => {
  const server = await runServer(t);
  await server.signUp('anna', 'user');
  const answer = await server.call('session.login', { name: 'anna', password: passwordOf('anna') });
  assert.deepEqual([answer.body.name, answer.body.role, answer.body.token], ['anna', 'user', undefined]);
  const cookie = answer.headers.get('set-cookie') ?? '';
  assert.match(cookie, /^pismak_session=[\w-]{43}; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Strict$/);
  const rows = await server.engine.database.query.selectFrom('session').selectAll().execute();
  const token = /=([\w-]+);/.exec(cookie)?.[1] ?? '';
  assert.ok(!JSON.stringify(rows).includes(token));
  const { body } = await server.call('session.show', {}, { cookie: cookie.split(';')[0] ?? '' });
  assert.deepEqual([body.name, body.role, body.scopes, body.by], ['anna', 'user', ['*'], 'session']);
});

test('behind https the cookie is for https only', async (t) => {
  const server = await runServer(t, { http: { publicUrl: 'https://pismak.example/' } });
  await server.signUp('anna', 'user');
  const answer = await server.call('session.login', { name: 'anna', password: passwordOf('anna') });
  assert.match(
    answer.headers.get('set-cookie') ?? '',
    /^__Host-pismak_session=.*Path=\/; HttpOnly; Secure; SameSite=Strict/,
  );
  assert.match(answer.headers.get('strict-transport-security') ?? '', /max-age/);
});

test('a wrong name, a wrong password and a disabled user get the same answer', async (t) => {
  const server = await runServer(t);
  await server.signUp('anna', 'user');
  await server.signUp('gone', 'user');
  await server.call('user.disable', { name: 'gone' }, { key: server.localToken });
  const answers = await Promise.all([
    server.call('session.login', { name: 'nobody-here', password: 'some password' }),
    server.call('session.login', { name: 'anna', password: 'some password' }),
    server.call('session.login', { name: 'gone', password: passwordOf('gone') }),
  ]);
  for (const answer of answers) {
    assert.equal(answer.status, 401);
    assert.deepEqual(answer.body, answers[0]?.body);
    assert.equal(answer.headers.get('set-cookie'), null);
  }
});

test('a session ends after a week without use, and after thirty days in any case', async (t) => {
  const clock = new ManualClock();
  const server = await runServer(t, { clock });
  await server.signUp('anna', 'user');
  const [idle, busy] = [await signIn(server, 'anna'), await signIn(server, 'anna')];
  for (let days = 0; days < 30; days += 5) {
    assert.equal(await status(server, busy), 200, `day ${days}`);
    clock.advance(5 * day);
  }
  assert.equal(await status(server, busy), 401);
  assert.equal(await status(server, idle), 401);
});

test('signing out ends the session on the server, so that a stolen cookie is worth nothing', async (t) => {
  const server = await runServer(t);
  await server.signUp('anna', 'user');
  const [mine, other] = [await signIn(server, 'anna'), await signIn(server, 'anna')];
  const answer = await server.call('session.logout', {}, { cookie: mine, headers: { origin: server.url } });
  assert.equal(answer.status, 200);
  assert.match(answer.headers.get('set-cookie') ?? '', /^pismak_session=;/);
  assert.deepEqual([await status(server, mine), await status(server, other)], [401, 200]);
});

test('a new password ends all other sessions and needs the current one', async (t) => {
  const server = await runServer(t);
  await server.signUp('anna', 'user');
  const [mine, thief] = [await signIn(server, 'anna'), await signIn(server, 'anna')];
  const change = (current: string | undefined) =>
    server.call(
      'user.password',
      { current, password: 'a better password' },
      { cookie: mine, headers: { origin: server.url } },
    );
  assert.equal((await change('a guess')).status, 403);
  assert.equal((await change(undefined)).status, 403);
  assert.equal((await change(passwordOf('anna'))).status, 200);
  assert.deepEqual([await status(server, mine), await status(server, thief)], [200, 401]);
  assert.equal(
    (await server.call('session.login', { name: 'anna', password: passwordOf('anna') })).status,
    401,
  );
  assert.equal(
    (await server.call('session.login', { name: 'anna', password: 'a better password' })).status,
    200,
  );
});

test('another site can’t make changes with the cookie of a user’s browser', async (t) => {
  const server = await runServer(t);
  await server.signUp('anna', 'user');
  const cookie = await signIn(server, 'anna');
  const change = (headers: Record<string, string>) =>
    server.call('key.create', { name: 'mine' }, { cookie, headers });
  const refused: Record<string, string>[] = [
    {},
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { origin: server.url.replace(/\d+$/, '1') },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': 'none' },
    { origin: 'https://evil.example', 'sec-fetch-site': 'same-origin' },
    { origin: server.url, 'sec-fetch-site': 'cross-site' },
    { origin: server.url, 'content-type': 'text/plain' },
    { origin: server.url, 'content-type': 'multipart/form-data; boundary=x' },
  ];
  for (const headers of refused) {
    const { status, body } = await change(headers);
    assert.deepEqual([status, body.error.code], [403, 'forbidden'], JSON.stringify(headers));
  }
  for (const headers of [{ origin: server.url }, { 'sec-fetch-site': 'same-origin' }] as Record<
    string,
    string
  >[]) {
    assert.equal((await change(headers)).status, 200, JSON.stringify(headers));
  }
  assert.equal(
    (await server.call('key.ls', {}, { cookie, headers: { origin: 'https://evil.example' } })).status,
    200,
  );
});

test('a made-up or altered cookie is nobody', async (t) => {
  const server = await runServer(t);
  await server.signUp('anna', 'user');
  const cookie = await signIn(server, 'anna');
  const [row] = await server.engine.database.query.selectFrom('session').selectAll().execute();
  for (const forged of [
    `${cookie}x`,
    cookie.slice(0, -1),
    'pismak_session=',
    `pismak_session=${row?.tokenHash}`,
  ]) {
    assert.equal(await status(server, forged), 401, forged);
  }
});

test('a user sees own sessions and ends one of them or all others; administrators see and end all', async (t) => {
  const clock = new ManualClock();
  const server = await runServer(t, { clock });
  const [anna, bert, root] = [
    await server.signUp('anna', 'reader'),
    await server.signUp('bert', 'user'),
    await server.signUp('root', 'admin'),
  ];
  const cookies: string[] = [];
  for (let count = 0; count < 4; count++) {
    cookies.push(await signIn(server, 'anna'));
    clock.advance(1000);
  }
  const [first = '', second = '', third = '', mine = ''] = cookies;
  const by = { cookie: mine, headers: { origin: server.url } };
  const list = async (as: object, input = {}) =>
    (await server.call('session.ls', input, as)).body.sessions as {
      id: string;
      current: boolean;
      user: string;
    }[];
  const seen = await list(by);
  assert.deepEqual(
    seen.map(({ current }) => current),
    [true, false, false, false],
  );
  assert.equal((await list(anna)).length, 4);
  assert.deepEqual([await list(bert), await list(bert, { user: 'anna' })], [[], []]);
  assert.equal((await list(root, { user: 'anna' })).length, 4);
  assert.doesNotMatch(JSON.stringify(seen), new RegExp(mine.split('=')[1] ?? 'x'));

  const ofSecond = seen[2]?.id ?? '';
  assert.equal((await server.call('session.end', { id: ofSecond }, bert)).status, 404);
  assert.equal((await server.call('session.end', { user: 'anna' }, bert)).status, 404);
  assert.deepEqual((await server.call('session.end', { id: ofSecond }, by)).body, { ended: 1 });
  const open = async () => Promise.all([first, second, third, mine].map((cookie) => status(server, cookie)));
  assert.deepEqual(await open(), [200, 401, 200, 200]);
  assert.equal((await server.call('session.end', { id: ofSecond }, root)).status, 404);
  assert.deepEqual((await server.call('session.end', {}, by)).body, { ended: 2 });
  assert.deepEqual(await open(), [401, 401, 401, 200]);
  assert.deepEqual((await server.call('session.end', { user: 'anna' }, root)).body, { ended: 1 });
  assert.deepEqual(await open(), [401, 401, 401, 401]);
});

test('a list of sessions says when each was last used', async (t) => {
  const clock = new ManualClock();
  const server = await runServer(t, { clock });
  await server.signUp('anna', 'user');
  const cookie = await signIn(server, 'anna');
  const opened = clock.now();
  clock.advance(6 * 3_600_000);
  await status(server, cookie);
  const [session] = (await server.call('session.ls', {}, { cookie })).body.sessions;
  assert.deepEqual(
    [session.createdAt, session.lastUsedAt, session.address],
    [opened, clock.now(), '127.0.0.1'],
  );
});

test('a user who signs in for ever has a bounded number of sessions', async (t) => {
  const clock = new ManualClock();
  const server = await runServer(t, { clock });
  await server.signUp('anna', 'user');
  const oldest = await signIn(server, 'anna');
  const row = { account: 'anna', createdAt: clock.now() + 1, expiresAt: clock.now() + day };
  const values = Array.from({ length: 99 }, (_, index) => ({ ...row, tokenHash: `${index}` }));
  await server.engine.database.query.insertInto('session').values(values).execute();
  clock.advance(1000);
  await signIn(server, 'anna');
  assert.equal(await status(server, oldest), 401);
  const { body } = await server.call('session.ls', {}, { key: server.localToken });
  assert.equal(body.sessions.length, 100);
});
