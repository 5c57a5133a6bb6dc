import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { dummySeconds, parseDummyConfig } from './dummy-config.ts';

test('time is data size times scale plus a difference from the interval', () => {
  const config = parseDummyConfig('DUMMY = True\nTIME_SCALE = 0.001\nTIME_DIFF_MIN = 1\nTIME_DIFF_MAX = 3');
  assert.equal(dummySeconds(config, 2000, 0), 3);
  assert.equal(dummySeconds(config, 2000, 0.5), 4);
});

test('TIME_DELTA stands for an interval around zero', () => {
  const config = parseDummyConfig('[dummy]\nDUMMY = true\nTIME_SCALE = 1\nTIME_DELTA = 2 # seconds');
  assert.equal(dummySeconds(config, 10, 0), 8);
  assert.equal(dummySeconds(config, 10, 0.5), 10);
});

test('time is never negative', () => {
  fc.assert(
    fc.property(fc.nat(1000), fc.double({ min: 0, max: 0.999, noNaN: true }), (size, chance) => {
      assert.ok(dummySeconds(parseDummyConfig('TIME_SCALE = 0.001\nTIME_DELTA = 5'), size, chance) >= 0);
    }),
  );
});

test('a wrong line is refused with its number, its key and what is known', () => {
  assert.throws(
    () => parseDummyConfig('DUMMY = True\nTIME_SCAL = 1'),
    /line 2: unknown key TIME_SCAL; did you mean TIME_SCALE\? known: DUMMY/,
  );
  assert.throws(() => parseDummyConfig('hello'), /line 1: expected KEY = value/);
  assert.throws(() => parseDummyConfig('TIME_SCALE = fast'), /TIME_SCALE must be a number, found: fast/);
  assert.throws(() => parseDummyConfig('FAILURE_RATE = 2'), /FAILURE_RATE must be at most 1/);
  assert.throws(() => parseDummyConfig('TIME_DIFF_MIN = 2\nTIME_DIFF_MAX = 1'), /above/);
});
