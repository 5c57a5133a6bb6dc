import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasCode } from '../../ground/errors.ts';
import { readAddress } from './address.ts';

test('an address may name several servers, and its parts are unescaped', async () => {
  assert.deepEqual(await readAddress('amqp://ann:a%2Fb%40c@one:5673,two/my%20host'), {
    username: 'ann',
    password: 'a/b@c',
    vhost: 'my host',
    hosts: ['one:5673', 'two'],
  });
  assert.deepEqual(await readAddress('amqp://one'), {
    username: 'guest',
    password: 'guest',
    vhost: '/',
    hosts: ['one'],
  });
});

test('an invalid address is refused, and the error does not repeat it', async () => {
  for (const url of [
    'http://ann:secret@one',
    'amqp://ann:secret%@one',
    'amqp://ann:secret@one:99999',
    'amqp://ann:secret@one,,two',
    'amqps://ann:secret@one?cacertfile=/none',
    'amqp://ann:secret@one?cacertfile=/none',
    'amqp://ann:secret@one/host?heartbeat=5',
    'amqps://ann:secret@one/host?cafile=/none',
  ]) {
    await assert.rejects(
      readAddress(url),
      (error) => hasCode(error, 'configuration-invalid') && !error.message.includes('secret'),
    );
  }
});
