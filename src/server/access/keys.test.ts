import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../../engine/testing/eventually.ts';
import { ManualClock } from '../../engine/time/clock.ts';
import { passwordOf, type RunningServer, runServer } from '../testing/running-server.ts';

const makeKey = async (server: RunningServer, input: object, key: string) =>
  (await server.call('key.create', { name: 'k', ...input }, { key })).body;

test('a key is shown once and kept as a hash', async (t) => {
  const server = await runServer(t);
  const anna = await server.signUp('anna', 'user');
  const { key } = await makeKey(server, {}, anna.key);
  assert.match(key, /^pk_[\w-]{43}$/);
  const stored = await server.engine.database.query.selectFrom('apiKey').selectAll().execute();
  const listed = await server.call('key.ls', {}, anna);
  const audited = await server.call('audit.ls', {}, { key: server.localToken });
  for (const text of [JSON.stringify(stored), listed.text, audited.text]) assert.ok(!text.includes(key));
  assert.equal((await server.call('session.show', {}, { key })).body.by, 'key');
});

test('a key can’t have more than its owner, nor more than the key that makes it', async (t) => {
  const server = await runServer(t);
  const anna = await server.signUp('anna', 'user');
  assert.equal((await makeKey(server, { role: 'admin' }, anna.key)).error.code, 'forbidden');
  assert.equal(
    (await makeKey(server, { role: 'admin', owner: 'anna' }, server.localToken)).error.code,
    'forbidden',
  );
  assert.equal((await makeKey(server, {}, server.localToken)).error.code, 'not-found');
  const weak = await makeKey(server, { role: 'reader', scopes: ['key.', 'stage.ls'] }, anna.key);
  assert.equal((await makeKey(server, { role: 'user' }, weak.key)).error.code, 'forbidden');
  assert.equal((await makeKey(server, { scopes: ['*'] }, weak.key)).error.code, 'forbidden');
  assert.equal((await makeKey(server, { scopes: ['stage.'] }, weak.key)).error.code, 'forbidden');
  const weaker = await makeKey(server, {}, weak.key);
  assert.deepEqual([weaker.role, weaker.scopes], ['reader', ['key.', 'stage.ls']]);
});

test('a demoted, disabled, enabled or deleted owner’s keys are so at once, and a namesake does not inherit them', async (t) => {
  const server = await runServer(t);
  const admin = { key: server.localToken };
  await server.signUp('root', 'admin');
  const anna = await server.signUp('anna', 'admin');
  const may = async () => (await server.call('user.ls', {}, anna)).status;
  assert.equal(await may(), 200);
  await server.call('user.role', { name: 'anna', role: 'user' }, admin);
  assert.equal(await may(), 403);
  await server.call('user.role', { name: 'anna', role: 'admin' }, admin);
  await server.call('user.disable', { name: 'anna' }, admin);
  assert.equal(await may(), 401);
  await server.call('user.enable', { name: 'anna' }, admin);
  assert.equal(await may(), 200);
  await server.call('user.delete', { name: 'anna' }, admin);
  assert.equal(await may(), 401);
  const again = { name: 'anna', password: 'somebody else', role: 'admin', takeOver: true };
  assert.equal((await server.call('user.create', again, admin)).status, 200);
  assert.equal(await may(), 401);
});

test('a revoked key is refused from then on', async (t) => {
  const server = await runServer(t);
  const anna = await server.signUp('anna', 'reader');
  const { id, key } = await makeKey(server, {}, anna.key);
  assert.equal((await server.call('stage.ls', {}, { key })).status, 200);
  assert.equal((await server.call('key.revoke', { id }, anna)).status, 200);
  assert.equal((await server.call('stage.ls', {}, { key })).status, 401);
  const { body } = await server.call('key.ls', {}, anna);
  assert.ok(body.keys.find((one: { id: string }) => one.id === id).revokedAt > 0);
});

test('uses of a key are counted, some seconds late, and none is lost when the server closes', async (t) => {
  const clock = new ManualClock();
  const server = await runServer(t, { clock });
  const anna = await server.signUp('anna', 'reader');
  const { id, key } = await makeKey(server, {}, anna.key);
  const stored = async () =>
    server.engine.database.query
      .selectFrom('apiKey')
      .select(['uses', 'lastUsedAt'])
      .where('id', '=', id)
      .executeTakeFirst();
  for (let count = 0; count < 7; count++) await server.call('stage.ls', {}, { key });
  assert.equal((await stored())?.uses, 0);
  clock.advance(5000);
  await eventually('the uses are written', async () => (await stored())?.uses === 7);
  assert.equal((await stored())?.lastUsedAt, clock.now() - 5000);
  await server.call('stage.ls', {}, { key });
  await server.close();
  assert.equal((await stored())?.uses, 8);
});

test('a key that expires is refused from then on, and makes no key that lives longer', async (t) => {
  const clock = new ManualClock();
  const server = await runServer(t, { clock });
  const anna = await server.signUp('anna', 'reader');
  const day = 24 * 3_600_000;
  const made = await makeKey(server, { expiresInMs: 90 * day }, anna.key);
  assert.equal(made.expiresAt, clock.now() + 90 * day);
  clock.advance(89 * day);
  assert.equal((await server.call('stage.ls', {}, made)).status, 200);
  assert.equal((await makeKey(server, { expiresInMs: 2 * day }, made.key)).error.code, 'forbidden');
  const heir = await makeKey(server, {}, made.key);
  assert.equal(heir.expiresAt, made.expiresAt);
  clock.advance(day);
  for (const { key } of [made, heir]) assert.equal((await server.call('stage.ls', {}, { key })).status, 401);
  assert.equal((await server.call('stage.ls', {}, anna)).status, 200);
});

test('a new password ends the keys of the user, except the one in use, unless they shall stay', async (t) => {
  const server = await runServer(t);
  const root = await server.signUp('root', 'admin');
  const anna = await server.signUp('anna', 'user');
  const works = async ({ key }: { key: string }) =>
    (await server.call('session.show', {}, { key })).status === 200;
  const other = await makeKey(server, {}, anna.key);
  const own = { current: passwordOf('anna'), password: 'a better password' };
  assert.deepEqual((await server.call('user.password', own, anna)).body, { sessions: 0, keys: 1 });
  assert.deepEqual([await works(anna), await works(other)], [true, false]);
  const reset = { name: 'anna', password: 'yet another one' };
  await server.call('user.password', { ...reset, keepKeys: true }, root);
  assert.equal(await works(anna), true);
  assert.deepEqual((await server.call('user.password', reset, root)).body, { sessions: 0, keys: 1 });
  assert.equal(await works(anna), false);
});

test('a user has a limited number of valid keys, also when they come at the same moment, and a bounded list', async (t) => {
  const server = await runServer(t, { settings: { access: { keysPerUser: 5 } } });
  const anna = await server.signUp('anna', 'user');
  const made = await Promise.all(Array.from({ length: 10 }, () => makeKey(server, {}, anna.key)));
  assert.equal(made.filter(({ key }) => key !== undefined).length, 4);
  const { error } = made.find((one) => one.error !== undefined);
  assert.deepEqual([error.code, error.details], ['quota-exceeded', { limit: 5, used: 5 }]);
  assert.match(error.message, /revoke one first/);
  const bert = await server.signUp('bert', 'user');
  assert.equal((await server.call('key.create', { name: 'k' }, bert)).status, 200, 'another user has room');
  let { id } = made.find((one) => one.id !== undefined);
  for (let count = 0; count < 60; count++) {
    assert.equal((await server.call('key.revoke', { id }, anna)).status, 200);
    ({ id } = await makeKey(server, {}, anna.key));
  }
  const { keys } = (await server.call('key.ls', {}, anna)).body;
  assert.equal(keys.length, 55);
});
