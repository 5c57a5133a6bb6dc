import assert from 'node:assert/strict';
import { test } from 'node:test';
import { networkOf } from './network-of.ts';

test('all addresses of an IPv6 network are one, and IPv4 addresses stand for themselves', () => {
  const same = [
    '2001:db8:0:7::1',
    '2001:DB8::7:ffff:ffff:ffff:fffe',
    '2001:0db8:0000:0007:1:2:3:4',
    '2001:db8:0:7::%eth0',
  ];
  for (const address of same) assert.equal(networkOf(address), '2001:db8:0:7::/64', address);
  assert.equal(networkOf('2001:db8:0:8::1'), '2001:db8:0:8::/64');
  assert.equal(networkOf('::1'), '0:0:0:0::/64');
  assert.equal(networkOf('64:ff9b::192.0.2.1'), '64:ff9b:0:0::/64');
  assert.equal(networkOf('192.0.2.7'), '192.0.2.7');
  assert.equal(networkOf('::ffff:192.0.2.7'), '192.0.2.7');
  assert.equal(networkOf(''), '');
});
