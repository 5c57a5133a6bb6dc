import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Pace } from './pace.ts';

test('as many are fetched ahead as handlers start within a tenth of a second', () => {
  const pace = new Pace();
  assert.equal(pace.ahead(4), 0);
  pace.finished(10);
  assert.equal(pace.ahead(4), 40);
  pace.stillRunning(5000);
  assert.equal(pace.ahead(4), 0);
});

test('on a slow server as many are fetched ahead as handlers start within four claims, yet within half a second', () => {
  const pace = new Pace();
  pace.finished(10);
  for (let count = 0; count < 100; count++) pace.claimed(50);
  assert.equal(pace.ahead(1), 19);
  for (let count = 0; count < 100; count++) pace.claimed(3000);
  assert.equal(pace.ahead(1), 50);
});

test('large messages are fetched ahead only as far as they fit into memory', () => {
  const pace = new Pace();
  pace.finished(0.01);
  assert.equal(pace.ahead(10), 10_000);
  for (let count = 0; count < 100; count++) pace.fetched(16 * 1024 * 1024);
  assert.equal(pace.ahead(10), 2);
});
