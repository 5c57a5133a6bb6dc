import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RepeatedEntries } from './repeated-entries.ts';

const hour = 3_600_000;

test('the same entry has so many rows in an hour; the last of them counts the rest', () => {
  const entries = new RepeatedEntries();
  const repeats = { pool: 'refusal', key: 'k', rows: 2, overflow: 'o' } as const;
  const rows = ['1', '2', '3', '4'].map((id) => entries.rowOf(repeats, id, 0));
  assert.deepEqual(rows, ['1', '2', '2', '2']);
  assert.equal(entries.rowOf(repeats, '5', hour), '5');
  assert.equal(entries.rowOf({ ...repeats, key: 'other' }, '6', hour), '6');
});

test('a flood of different entries fills a bounded number of rows, and no room of other kinds', () => {
  const entries = new RepeatedEntries();
  const rows = new Set<string>();
  for (let id = 0; id < 50_000; id++) {
    rows.add(entries.rowOf({ pool: 'stranger', key: `${id}`, rows: 1, overflow: 'o' }, `${id}`, 0));
  }
  assert.equal(rows.size, 1001);
  assert.equal(entries.rowOf({ pool: 'refusal', key: 'k', rows: 1, overflow: 'o' }, 'mine', 0), 'mine');
});

test('what an administrator reads has rows even when there are too many to remember', () => {
  const entries = new RepeatedEntries();
  const read = (key: number, id: number) =>
    entries.rowOf({ pool: 'read', key: `${key}`, rows: 1 }, `${id}`, 0);
  for (let id = 0; id < 5000; id++) assert.equal(read(id, id), `${id}`);
  assert.equal(read(7, 9999), '7');
});
