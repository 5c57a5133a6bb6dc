import assert from 'node:assert/strict';
import test from 'node:test';
import { stage } from '../testing/snapshots.ts';
import { investedWork } from './invested-work.ts';
import type { StageSnapshot } from './policy.ts';

function investedIn(stages: StageSnapshot[]): Record<string, number> {
  return Object.fromEntries(investedWork(stages, ({ averageMs }) => averageMs ?? 0));
}

test('invested work is that of all earlier stages, in whatever order they are listed', () => {
  const stages = [
    stage('a', { averageMs: 100, next: { b: 1 } }),
    stage('b', { averageMs: 20, next: { c: 1 } }),
    stage('c', { averageMs: 3 }),
  ];
  assert.deepEqual(investedIn(stages), { a: 0, b: 100, c: 120 });
  assert.deepEqual(investedIn(stages.toReversed()), { c: 120, b: 100, a: 0 });
});

test('where messages meet, each origin counts with its share', () => {
  const stages = [
    stage('long', { averageMs: 1000, next: { last: 0.25, gone: 0.75 } }),
    stage('short', { averageMs: 10, next: { last: 0.75 } }),
    stage('last', { averageMs: 5 }),
  ];
  assert.equal(investedIn(stages).last, 257.5);
});

test('messages in a cycle have cost no more than all stages together', () => {
  const { a } = investedIn([
    stage('a', { averageMs: 100, next: { b: 1 } }),
    stage('b', { averageMs: 1, next: { a: 1 } }),
  ]);
  assert.equal(a, 101);
});
