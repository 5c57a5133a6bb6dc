import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nearestName } from './nearest-name.ts';

test('a typo finds its name, a wild guess finds none', () => {
  const names = ['http.port', 'http.host', 'worker.count'];
  assert.equal(nearestName('http.prot', names), 'http.port');
  assert.equal(nearestName('HTTP.PORTS', names), 'http.port');
  assert.equal(nearestName('worker.coutn', names), 'worker.count');
  assert.equal(nearestName('zebra', names), undefined);
  assert.equal(nearestName('', names), undefined);
});
