import assert from 'node:assert/strict';
import test from 'node:test';
import { stage } from '../testing/snapshots.ts';
import type { StageSnapshot } from './policy.ts';
import { remainingWork } from './remaining-work.ts';

function workOf(stages: StageSnapshot[]): Record<string, number> {
  return Object.fromEntries(remainingWork(stages, ({ averageMs }) => averageMs ?? 0));
}

test('remaining work is that of a stage and all later ones, in whatever order they are listed', () => {
  const stages = [
    stage('a', { averageMs: 100, next: { b: 1 } }),
    stage('b', { averageMs: 20, next: { c: 1 } }),
    stage('c', { averageMs: 3 }),
  ];
  assert.deepEqual(workOf(stages), { a: 123, b: 23, c: 3 });
  assert.deepEqual(workOf(stages.toReversed()), { c: 3, b: 23, a: 123 });
});

test('where messages split, each branch counts with its share', () => {
  const stages = [
    stage('a', { averageMs: 100, next: { long: 0.25, short: 0.5 } }),
    stage('long', { averageMs: 1000 }),
    stage('short', { averageMs: 10 }),
  ];
  assert.equal(workOf(stages).a, 355);
});

test('messages in a cycle have much work left, but not infinitely much', () => {
  const again = workOf([stage('a', { averageMs: 100, next: { a: 0.5 } })]);
  assert.ok(Math.abs((again.a ?? 0) - 200) < 0.1);
  const forever = workOf([stage('a', { averageMs: 100, next: { b: 1 } }), stage('b', { next: { a: 1 } })]);
  assert.ok(Number.isFinite(forever.a));
  assert.ok((forever.a ?? 0) > 10_000);
});

test('a shared or deleted stage adds nothing', () => {
  assert.deepEqual(workOf([stage('a', { averageMs: 100, next: { gone: 1 } })]), { a: 100 });
});
