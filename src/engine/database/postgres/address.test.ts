import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasCode } from '../../ground/errors.ts';
import { readAddress } from './address.ts';

test('a URL may name several hosts, escape any character, and omit defaults', async () => {
  const address = await readAddress(
    'postgres://us%40er:p%2F%3A%25@one:5433,[::1]:5434,two/my%20base?target_session_attrs=read-write',
  );
  assert.deepEqual(address, {
    hosts: [
      { host: 'one', port: 5433 },
      { host: '::1', port: 5434 },
      { host: 'two', port: 5432 },
    ],
    user: 'us@er',
    password: 'p/:%',
    database: 'my base',
    applicationName: 'pismak',
    tls: false,
  });
  assert.deepEqual((await readAddress('postgresql://%2Fvar%2Frun%2Fpostgresql/x')).hosts, [
    { host: '/var/run/postgresql', port: 5432 },
  ]);
});

test('without an authority `require` only encrypts; every other mode checks the certificate', async () => {
  const tls = async (query: string) => (await readAddress(`postgres://u:p@h/d?${query}`)).tls || undefined;
  assert.equal(await tls('sslmode=disable'), undefined);
  assert.equal((await tls('sslmode=require'))?.rejectUnauthorized, false);
  for (const strict of [
    'sslmode=verify-full',
    'sslmode=verify-ca',
    `sslmode=require&sslrootcert=${import.meta.filename}`,
  ]) {
    assert.equal((await tls(strict))?.rejectUnauthorized, true, strict);
  }
  assert.equal((await tls(`sslrootcert=${import.meta.filename}`))?.checkServerIdentity, undefined);
});

test('the error for an invalid URL gives the reason and does not show the password', async () => {
  for (const wrong of [
    'mysql://u:hunter2@h/d',
    'postgres://u:hunter2@h',
    'postgres://u:hunter2@h/',
    'postgres://u:hunter2@h:99999/d',
    'postgres://u:hunter2@h:5432,/d',
    'postgres://u:hunter2%@h/d',
    'postgres://u:hunter2@h/d?sslmod=require',
    'postgres://u:hunter2@h/d?sslmode=prefer',
    'postgres://u:hunter2@h/d?target_session_attrs=standby',
    'postgres://u:hunter2@h/d?sslrootcert=/nowhere/ca.pem',
    'postgres://u:hunter2@extra@h/d',
  ]) {
    await assert.rejects(readAddress(wrong), (error) => {
      assert.ok(hasCode(error, 'configuration-invalid'), wrong);
      assert.doesNotMatch(error.message, /hunter2/);
      return true;
    });
  }
});
