import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isLoopback } from './loopback.ts';

test('only addresses and names of this machine count as local', () => {
  for (const host of [
    '127.0.0.1',
    '127.9.9.9',
    '::1',
    '[::1]',
    '::ffff:127.0.0.1',
    'localhost',
    'LOCALHOST',
  ]) {
    assert.equal(isLoopback(host), true, host);
  }
  const others = [
    '0.0.0.0',
    '::',
    '10.0.0.1',
    '127.0.0.1.evil.example',
    'localhost.evil.example',
    '',
    '::ffff:10.0.0.1',
  ];
  for (const host of [...others, undefined]) assert.equal(isLoopback(host), false, host);
});
