import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runServer } from '../testing/running-server.ts';

test('a caller with too many requests learns when to retry, and other callers are not held up', async (t) => {
  const server = await runServer(t, { http: { requestsPerMinute: 5 } });
  const [anna, bert] = [await server.signUp('anna', 'reader'), await server.signUp('bert', 'reader')];
  for (let count = 0; count < 5; count++) assert.equal((await server.call('stage.ls', {}, anna)).status, 200);
  const refused = await server.call('stage.ls', {}, anna);
  assert.deepEqual([refused.status, refused.body.error.code], [429, 'too-many-requests']);
  const seconds = Number(refused.headers.get('retry-after'));
  assert.ok(seconds > 0 && seconds <= 60, `${seconds}`);
  assert.equal((await server.call('stage.ls', {}, bert)).status, 200);
});

test('a new key does not lift the limit of its user', async (t) => {
  const server = await runServer(t, { http: { requestsPerMinute: 5 } });
  const anna = await server.signUp('anna', 'user');
  const second = (await server.call('key.create', { name: 'second' }, anna)).body;
  for (let count = 0; count < 4; count++) assert.equal((await server.call('stage.ls', {}, anna)).status, 200);
  for (const { key } of [anna, second])
    assert.equal((await server.call('stage.ls', {}, { key })).status, 429);
});

test('asking for what does not exist counts too', async (t) => {
  const server = await runServer(t, { http: { requestsPerMinute: 3 } });
  const statuses: number[] = [];
  for (let count = 0; count < 4; count++)
    statuses.push((await server.send('GET', `/nothing/${count}`)).status);
  assert.deepEqual(statuses, [404, 404, 404, 429]);
});

test('the local command line is not limited', async (t) => {
  const server = await runServer(t, { http: { requestsPerMinute: 2 } });
  for (let count = 0; count < 5; count++) {
    assert.equal((await server.call('stage.ls', {}, { key: server.localToken })).status, 200);
  }
});

test('guessing the token of the first administrator is slow: ten a minute from one address', async (t) => {
  const server = await runServer(t);
  const statuses: number[] = [];
  for (let count = 0; count < 12; count++) {
    statuses.push((await server.call('setup.claim', { token: 'guess' })).status);
  }
  assert.ok(!statuses.slice(0, 10).includes(429), `${statuses}`);
  assert.deepEqual(statuses.slice(10), [429, 429]);
  assert.equal((await server.send('GET', '/api/v1/health')).status, 200);
});
