import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scout } from './scout.ts';

test('public addresses need a contact, private ones must be allowed', async () => {
  const hosts = ['8.8.8.8', '127.0.0.1', 'both.example.cz'];
  const domains = hosts.map((host, domain) => ({ domain, host }));
  const resolve = { 'both.example.cz': ['10.0.0.1', '9.9.9.9'] };
  const found = async (contact: string, allowPrivate: boolean) =>
    (await scout({ domains }, { contact, allowPrivate, resolve })).map(
      ({ addresses, problem }) => problem ?? addresses.join(),
    );
  const [contact, none] = ['robot@example.org', 'public address without a contact'];
  assert.deepEqual(await found(contact, false), ['8.8.8.8', 'private address', '9.9.9.9']);
  assert.deepEqual(await found(contact, true), ['8.8.8.8', '127.0.0.1', '10.0.0.1,9.9.9.9']);
  assert.deepEqual(await found('', true), [none, '127.0.0.1', '10.0.0.1']);
  assert.deepEqual(await found('', false), [none, 'private address', none]);
});
