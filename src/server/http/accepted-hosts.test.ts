import assert from 'node:assert/strict';
import { hostname } from 'node:os';
import { test } from 'node:test';
import { connectRaw } from '../testing/raw-connection.ts';
import { runServer } from '../testing/running-server.ts';
import { hostOf } from './accepted-hosts.ts';

test('the host of an authority is read as browsers and proxies write it', () => {
  assert.equal(hostOf('Pismak.Example.ORG.:8443'), 'pismak.example.org');
  assert.equal(hostOf('[::1]:7475'), '::1');
  assert.equal(hostOf('127.0.0.1:'), '127.0.0.1');
  for (const strange of ['', 'a b', 'user@a', 'a:b', '[::1', 'a/b', 'a:1:2', `${'a'.repeat(300)}`])
    assert.equal(hostOf(strange), undefined, strange);
});

test('only requests to a name of this server are answered', async (t) => {
  const http = {
    publicUrl: 'https://pismak.example.org',
    hosts: ['Intranet'],
    trustProxy: true,
    proxyAddresses: ['127.0.0.2'],
  };
  const server = await runServer(t, { http });
  const ask = async (lines: string[], line = 'GET /api/v1/session/show HTTP/1.1') => {
    const client = await connectRaw(server, t);
    client.socket.write(`${[line, ...lines, '', ''].join('\r\n')}`);
    const status = await client.status();
    return { status, heard: client.heard() };
  };
  const accepted = [
    '127.0.0.1:7475',
    '[::1]:80',
    '192.0.2.7',
    'LOCALHOST',
    'localhost.:1',
    hostname(),
    'pismak.example.org',
    'pismak.example.org:443',
    'intranet',
    '',
  ];
  for (const host of accepted) assert.equal((await ask([`host: ${host}`])).status, 401, host);

  const refused = [
    'evil.example',
    'evil.example:7475',
    'localhost.evil.example',
    'a@localhost',
    '127.0.0.1.evil',
  ];
  for (const host of refused) {
    const { status, heard } = await ask([`host: ${host}`]);
    assert.equal(status, 403, host);
    assert.match(heard, /"code":"forbidden".*http\.hosts/);
  }
  // Proxies disagree about which of two names counts, and a name in the first line wins over the header.
  assert.notEqual((await ask(['host: localhost', 'host: evil.example'])).status, 401);
  const absolute = 'GET http://evil.example/api/v1/session/show HTTP/1.1';
  assert.equal((await ask(['host: localhost'], absolute)).status, 403);
  // Health checks of load balancers, and HTTP/1.0 without a name.
  const health = 'GET /api/v1/health HTTP/1.1';
  assert.equal((await ask(['host: backend-7'], health)).status, 200);
  assert.equal((await ask([], 'GET /api/v1/session/show HTTP/1.0')).status, 401);
  // Not from a proxy that is trusted, so nobody reads it.
  assert.equal((await ask(['host: localhost', 'x-forwarded-host: evil.example'])).status, 401);
});

test('a trusted proxy must forward a name of this server', async (t) => {
  const server = await runServer(t, { http: { trustProxy: true, publicUrl: 'https://pismak.example.org' } });
  const ask = (forwarded: string) =>
    server.send('GET', '/api/v1/session/show', { headers: { 'x-forwarded-host': forwarded } });
  assert.equal((await ask('pismak.example.org')).status, 401);
  assert.equal((await ask('evil.example')).status, 403);
  assert.equal((await ask('localhost, evil.example')).status, 403);
});
