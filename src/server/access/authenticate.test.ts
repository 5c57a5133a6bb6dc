import assert from 'node:assert/strict';
import { networkInterfaces } from 'node:os';
import { test } from 'node:test';
import { runServer } from '../testing/running-server.ts';

test('the local token makes an administrator of programs of this machine', async (t) => {
  const server = await runServer(t);
  const { body } = await server.call('session.show', {}, { key: server.localToken });
  assert.deepEqual([body.name, body.role, body.scopes, body.by], ['local', 'admin', ['*'], 'local']);
});

test('the local token is refused if a proxy forwards it, wherever from', async (t) => {
  const server = await runServer(t, { http: { trustProxy: true } });
  const ask = (from: string) =>
    server.call('session.show', {}, { key: server.localToken, headers: { 'x-forwarded-for': from } });
  assert.equal((await ask('203.0.113.7')).status, 401);
  // What the client itself claims stands left of what the proxy adds.
  assert.equal((await ask('127.0.0.1, 203.0.113.7')).status, 401);
  assert.equal((await ask('127.0.0.1')).status, 401);
});

test('the local token works on an address of this machine that is not loopback, because it still comes from here', async (t) => {
  const own = Object.values(networkInterfaces())
    .flat()
    .find((address) => address?.family === 'IPv4' && !address.internal);
  const host = own?.address ?? '127.0.0.1';
  const server = await runServer(t, { http: { host } });
  assert.equal(new URL(server.localUrl).hostname, host);
  assert.equal((await server.call('session.show', {}, { key: server.localToken })).status, 200);
});

test('the header decides when there is a cookie too, and a bad header is not made good by a cookie', async (t) => {
  const server = await runServer(t);
  const [anna] = [await server.signUp('anna', 'reader'), await server.signUp('bert', 'reader')];
  const login = await server.call('session.login', { name: 'bert', password: 'password of bert' });
  const cookie = login.headers.get('set-cookie')?.split(';')[0] ?? '';
  assert.equal((await server.call('session.show', {}, { cookie, key: anna.key })).body.name, 'anna');
  assert.equal((await server.call('session.show', {}, { cookie, key: 'pk_wrong' })).status, 401);
  const basic = { authorization: 'Basic YW5uYTp4' };
  assert.equal((await server.call('session.show', {}, { cookie, headers: basic })).status, 401);
});
