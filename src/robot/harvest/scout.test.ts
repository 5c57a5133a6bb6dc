import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mayHaveAddress, scout } from './scout.ts';

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

test('no spelling of a private address passes for a public one, and link-local ones are never contacted', async () => {
  const own = ['127.0.0.1', '10.1.2.3', '100.64.0.1', '::1', '::ffff:7f00:1', 'fc00::1'];
  const reserved = ['0.0.0.0', '169.254.169.254', '::', '::7f00:1', '::ffff:a9fe:a9fe', 'fe80::1', 'fec0::1'];
  const embedded = ['64:ff9b::7f00:1', '2002:7f00:1::', 'ff02::1', '224.0.0.1', '255.255.255.255'];
  const found = async (hosts: string[], allowPrivate: boolean) => {
    const domains = hosts.map((host, domain) => ({ domain, host }));
    const results = await scout({ domains }, { contact: 'robot@example.org', allowPrivate, resolve: {} });
    return [...new Set(results.map(({ addresses, problem }) => problem ?? addresses.length))];
  };
  assert.deepEqual(await found(own, false), ['private address']);
  assert.deepEqual(await found(own, true), [1]);
  for (const isAllowed of [false, true])
    assert.deepEqual(await found([...reserved, ...embedded], isAllowed), ['reserved address']);
});

test('a domain is given up only if the DNS knows that it has no address', () => {
  assert.ok(!mayHaveAddress(['ENOTFOUND', 'ENOTFOUND']));
  assert.ok(!mayHaveAddress(['ENODATA', 'ENODATA']));
  assert.ok(mayHaveAddress(['ESERVFAIL', 'ENODATA']));
  assert.ok(mayHaveAddress(['ETIMEOUT', 'ETIMEOUT']));
});
