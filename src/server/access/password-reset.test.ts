import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../engine/time/clock.ts';
import { type RunningServer, runServer } from '../testing/running-server.ts';

const password = 'staple correct horse';
const recover = (server: RunningServer, token: string, more: object = {}) =>
  server.call('user.recover', { name: 'anna', token, password, ...more });

test('an administrator makes a link with which a user chooses a new password, once, and is signed in', async (t) => {
  const server = await runServer(t);
  const root = await server.signUp('root', 'admin');
  const anna = await server.signUp('anna', 'user');
  const { body: link } = await server.call('user.reset', { name: 'anna' }, root);
  assert.equal(link.name, 'anna');
  const chosen = await recover(server, link.token);
  assert.deepEqual([chosen.status, chosen.body.name, chosen.body.role], [200, 'anna', 'user']);
  assert.match(chosen.headers.get('set-cookie') ?? '', /^pismak_session=/);
  assert.equal(chosen.body.token, undefined);
  assert.equal((await server.call('session.login', { name: 'anna', password })).status, 200);
  assert.equal((await server.call('stage.ls', {}, anna)).status, 401, 'keys end with the password');
  const again = await recover(server, link.token);
  assert.deepEqual([again.status, again.body.error.code], [403, 'forbidden']);
});

test('keys stay if the user wants it', async (t) => {
  const server = await runServer(t);
  const root = await server.signUp('root', 'admin');
  const anna = await server.signUp('anna', 'user');
  const { body: link } = await server.call('user.reset', { name: 'anna' }, root);
  assert.equal((await recover(server, link.token, { keepKeys: true })).status, 200);
  assert.equal((await server.call('stage.ls', {}, anna)).status, 200);
});

test('of two who use the link at the same moment, one chooses the password', async (t) => {
  const server = await runServer(t);
  const root = await server.signUp('root', 'admin');
  await server.signUp('anna', 'user');
  const { body: link } = await server.call('user.reset', { name: 'anna' }, root);
  const answers = await Promise.all([recover(server, link.token), recover(server, link.token)]);
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 403]);
});

test('a link is worth nothing for somebody else, after a newer one, a day, a change of the password, or while disabled', async (t) => {
  const clock = new ManualClock();
  const server = await runServer(t, { clock });
  const root = await server.signUp('root', 'admin');
  await server.signUp('anna', 'user');
  await server.signUp('bert', 'user');
  const link = async () => (await server.call('user.reset', { name: 'anna' }, root)).body.token as string;
  const refused = async (token: string, more: object = {}) =>
    (await recover(server, token, more)).body.error?.code;
  const [old, present] = [await link(), await link()];
  assert.equal(await refused(old), 'forbidden');
  assert.equal(await refused(present, { name: 'bert' }), 'forbidden');
  assert.equal(await refused(present, { name: 'nobody-here' }), 'forbidden');
  await server.call('user.disable', { name: 'anna' }, root);
  assert.equal(await refused(present), 'forbidden');
  await server.call('user.enable', { name: 'anna' }, root);
  clock.advance(24 * 3_600_000);
  assert.equal(await refused(present), 'forbidden');
  const newest = await link();
  await server.call('user.password', { name: 'anna', password }, root);
  assert.equal(await refused(newest), 'forbidden');
});

test('the link is neither stored nor in the audit log', async (t) => {
  const server = await runServer(t);
  const root = await server.signUp('root', 'admin');
  await server.signUp('anna', 'user');
  const { body: link } = await server.call('user.reset', { name: 'anna' }, root);
  await recover(server, link.token);
  const unused = await server.call('user.reset', { name: 'anna' }, root);
  const { query } = server.engine.database;
  const audit = await query.selectFrom('audit').selectAll().execute();
  const stored = JSON.stringify([await query.selectFrom('secret').selectAll().execute(), audit]);
  for (const token of [link.token, unused.body.token, password]) assert.ok(!stored.includes(token));
  assert.ok(audit.some(({ operation }) => operation === 'user.recover'));
});
