import assert from 'node:assert/strict';
import test from 'node:test';
import { PermanentFailure } from '../processor/processor.ts';
import { checkUrl, guardedLookup, isPublic } from './address-guard.ts';

test('only addresses on the public internet are public', () => {
  const refused = [
    '127.0.0.1',
    '127.255.255.254',
    '0.0.0.0',
    '10.1.2.3',
    '172.16.0.1',
    '192.168.1.1',
    '100.64.0.1',
    '169.254.169.254',
    '192.0.2.1',
    '198.18.0.1',
    '224.0.0.1',
    '240.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::ffff:127.0.0.1',
    '::ffff:10.0.0.1',
    '::ffff:7f00:1',
    '::127.0.0.1',
    '::7f00:1',
    'fe80::1',
    'fe80::1%eth0',
    'fec0::1',
    'fc00::1',
    'fd12:3456::1',
    'ff02::1',
    '2002:7f00:1::',
    '2001:0:7f00:1::1',
    '64:ff9b::7f00:1',
    '2001:db8::1',
    'not an address',
    '',
  ];
  for (const address of refused) assert.equal(isPublic(address), false, address);
  for (const address of ['8.8.8.8', '::ffff:8.8.8.8', '2606:4700::1111'])
    assert.equal(isPublic(address), true, address);
});

test('URLs with private addresses in any notation, other protocols or credentials are refused', () => {
  const refused = [
    'http://127.0.0.1/',
    'http://127.1/',
    'http://2130706433/',
    'http://0x7f.0.0.1/',
    'http://0177.0.0.1/',
    'http://[::1]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[fe80::1]/',
    'https://10.0.0.1:8443/hook',
    'file:///etc/passwd',
    'ftp://example.org/',
    'gopher://example.org/',
    'http://user:password@example.org/',
    'http://user@example.org/',
    'nonsense',
  ];
  for (const url of refused) assert.throws(() => checkUrl(url, false), PermanentFailure, url);
  assert.equal(checkUrl('https://example.org/hook?x=1', false).href, 'https://example.org/hook?x=1');
  assert.equal(checkUrl('http://127.0.0.1/', true).hostname, '127.0.0.1');
  assert.throws(() => checkUrl('http://user@127.0.0.1/', true), PermanentFailure);
});

function look(addresses: string[], options: { all: boolean }, allowPrivate = false): Promise<unknown> {
  const resolve = async () =>
    addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  return new Promise((done, fail) => {
    guardedLookup(resolve, allowPrivate)('example.org', options, (error, address) =>
      error ? fail(error) : done(address),
    );
  });
}

test('a name is refused when any of its addresses is not public', async () => {
  assert.equal(await look(['8.8.8.8', '2606:4700::1111'], { all: false }), '8.8.8.8');
  assert.deepEqual(await look(['8.8.8.8', '2606:4700::1111'], { all: true }), [
    { address: '8.8.8.8', family: 4 },
    { address: '2606:4700::1111', family: 6 },
  ]);
  await assert.rejects(look(['8.8.8.8', '127.0.0.1'], { all: true }), PermanentFailure);
  await assert.rejects(look(['2606:4700::1111', '::1'], { all: false }), PermanentFailure);
  await assert.rejects(look([], { all: true }), /no address/);
  assert.equal(await look(['127.0.0.1'], { all: false }, true), '127.0.0.1');
});
