import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasCode } from '../../ground/errors.ts';
import { readAddress } from './address.ts';

test('a URL names servers, a path and credentials; ports and path may be left out', async () => {
  assert.deepEqual(await readAddress('zookeeper://%C5%BEofie:p%40ss@zoo1,zoo2:2182,[::1]:2183/a/b%20c/'), {
    servers: [
      { host: 'zoo1', port: 2181 },
      { host: 'zoo2', port: 2182 },
      { host: '::1', port: 2183 },
    ],
    root: '/a/b c',
    credentials: 'žofie:p@ss',
    sasl: false,
    tls: undefined,
  });
  assert.equal((await readAddress('zookeeper://u:p@zoo1/x?sasl=true')).sasl, true);
  const secure = await readAddress('zookeepers://zoo1');
  assert.deepEqual(secure, {
    servers: [{ host: 'zoo1', port: 2281 }],
    root: '/pismak',
    credentials: undefined,
    sasl: false,
    tls: {},
  });
});

test('the error for an invalid URL says what is wrong and does not repeat the password', async () => {
  const wrong = [
    'zookeeper://',
    'postgres://host/x',
    'zookeeper://user:top-secret@host:0',
    'zookeeper://user:top/secret@host:2181',
    'zookeeper://user:top@secret@host:2181',
    'zookeeper://user:top-secret@host:2181:2182',
    'zookeeper://top-secret@host',
    'zookeeper://user:top-secret%@host',
    'zookeeper://user:top-secret@host/x//y',
    'zookeeper://user:top-secret@host/x?sasl=maybe',
    'zookeeper://host/secret?sasl=true',
    'zookeeper://user:top-secret@host/x?cacertfile=/tmp/ca.pem',
    'zookeepers://user:top-secret@host/x?cafile=/tmp/ca.pem',
    'zookeepers://user:top-secret@host/x?cacertfile=/nowhere/ca.pem',
  ];
  for (const url of wrong) {
    await assert.rejects(readAddress(url), (error) => {
      assert.ok(hasCode(error, 'configuration-invalid'), `${url}: ${error}`);
      assert.ok(!/top|secret/.test(error.message), error.message);
      return true;
    });
  }
});
