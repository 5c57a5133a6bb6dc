import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { settingsSchema } from '../../engine/settings/settings.ts';
import { runServer } from '../testing/running-server.ts';
import { findExposures } from './exposure.ts';

const found = (http: object) =>
  findExposures(settingsSchema.parse({ http }).http).map((exposure) => exposure.found);

test('only set-ups that let others listen in are warned about', () => {
  const plain = /over plain HTTP: passwords and keys cross the network unencrypted/;
  for (const host of ['0.0.0.0', '::', '192.168.1.7', 'pismak.example'])
    assert.match(found({ host })[0] ?? '', plain);
  assert.match(found({ host: '0.0.0.0', publicUrl: 'http://pismak.example' })[0] ?? '', plain);
  assert.match(
    found({ publicUrl: 'http://pismak.example' })[0] ?? '',
    /http\.publicUrl is http:\/\/pismak\.example/,
  );
  assert.match(
    found({ publicUrl: 'https://pismak.example' })[0] ?? '',
    /not trusted: all users share one limit/,
  );
  for (const safe of [
    {},
    { host: '::1' },
    { publicUrl: 'http://localhost:8080' },
    { publicUrl: 'https://pismak.example', trustProxy: true },
    { host: '0.0.0.0', publicUrl: 'https://pismak.example', trustProxy: true },
  ]) {
    assert.deepEqual(found(safe), []);
  }
});

test('the address for users is a web address', () => {
  for (const publicUrl of [
    'ftp://pismak.example',
    'javascript:alert(1)',
    'file:///etc/passwd',
    'pismak.example',
  ]) {
    assert.equal(settingsSchema.safeParse({ http: { publicUrl } }).success, false, publicUrl);
  }
});

test('the start says so when other machines can listen in', async (t) => {
  const server = await runServer(t, { http: { host: '0.0.0.0' }, logLevel: 'warn' });
  const log = await readFile(join(server.engine.directory.path, 'logs', 'pismak.log'), 'utf8');
  assert.match(log, /other machines can reach 0\.0\.0\.0 over plain HTTP/);
});
