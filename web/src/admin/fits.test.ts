import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fits } from './fits.ts';

test('what is typed is found by parts of words, in any order, without case and accents', () => {
  assert.ok(fits('', 'disk.reserveMb'));
  assert.ok(fits('reserve DISK', 'disk.reserveMb'));
  assert.ok(fits('ruzena', 'Růžena'));
  assert.ok(fits('disk megabytes', 'disk.reserveMb', 'Free megabytes to keep'));
  assert.ok(!fits('disk tape', 'disk.reserveMb'));
});
