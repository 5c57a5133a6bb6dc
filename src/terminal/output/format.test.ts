import assert from 'node:assert/strict';
import { test } from 'node:test';
import { byteCount, jsonObject, wholeNumber } from '../options/option-values.ts';
import { formatBytes, formatDuration, formatTime } from './format.ts';

test('sizes and durations are short and true', () => {
  assert.deepEqual([0, 999, 1000, 1_234_567, 5e12].map(formatBytes), [
    '0 B',
    '999 B',
    '1.00 kB',
    '1.23 MB',
    '5.00 TB',
  ]);
  assert.deepEqual([0, 999, 1500, 12_400, 61_000, 7_200_000, 400_000_000, -1500, null].map(formatDuration), [
    '0 ms',
    '999 ms',
    '1.5 s',
    '12 s',
    '1 min 1 s',
    '2 h 0 min',
    '5 days',
    '-1.5 s',
    '-',
  ]);
  assert.match(formatTime(0), /^19(69|70)-\d\d-\d\d \d\d:\d\d:\d\d$/);
  assert.equal(formatTime(Number.NaN), '-');
});

test('values of options are read strictly', () => {
  assert.equal(byteCount('1.5M'), 1_500_000);
  assert.equal(byteCount('20k'), 20_000);
  assert.equal(byteCount('7'), 7);
  for (const wrong of ['', '-1', 'k', '1x']) assert.throws(() => byteCount(wrong), /it must be a size/);
  for (const wrong of ['', '-1', '1.5', 'x']) assert.throws(() => wholeNumber(wrong), /whole number/);
  assert.deepEqual(jsonObject('{"a":1}'), { a: 1 });
  for (const wrong of ['[]', 'null', '{']) assert.throws(() => jsonObject(wrong), /JSON/);
});

test('bytes have three digits, and no fraction of a byte', () => {
  assert.deepEqual([602.574, 999, 1000, 1_234_567].map(formatBytes), [
    '603 B',
    '999 B',
    '1.00 kB',
    '1.23 MB',
  ]);
});
