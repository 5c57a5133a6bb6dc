import assert from 'node:assert/strict';
import { test } from 'node:test';
import { temporaryDirectory } from '../src/engine/testing/temporary-directory.ts';
import { survived, survivePoison } from './faults/poison.ts';

test('poison among good requests ends where the outcome table says, and harms none of its neighbours', async (t) => {
  const figures = await survivePoison({ directory: await temporaryDirectory(t), good: 100, poison: 10 });
  assert.equal(figures.poison, 10);
  assert.ok(survived(figures), JSON.stringify(figures, null, 2));
});
