import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../../engine/testing/eventually.ts';
import { ManualClock } from '../../engine/time/clock.ts';
import { type RunningServer, runServer } from '../testing/running-server.ts';

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
  await server.call('user.create', { name: 'anna', password: 'somebody else', role: 'admin' }, admin);
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
