import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withoutAddresses } from './answer-text.ts';

test('an alert does not repeat the addresses of an answer, and long answers cost milliseconds', () => {
  assert.equal(
    withoutAddresses('550 <a.b@example.org>: no; @x y@ "u@v@w" mailto:z@example.org.'),
    '550 <ADDRESS>: no; @x y@ "ADDRESS" mailto:ADDRESS',
  );
  const before = process.threadCpuUsage();
  const letters = 'a'.repeat(200_000);
  assert.equal(withoutAddresses(letters), letters);
  const { user, system } = process.threadCpuUsage(before);
  assert.ok(user + system < 500_000, `${user + system} µs`);
});
