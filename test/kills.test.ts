import assert from 'node:assert/strict';
import { test } from 'node:test';
import { temporaryDirectory } from '../src/engine/testing/temporary-directory.ts';
import { surviveKills } from './faults/kills.ts';

test('killing npm start in the middle of its work loses no request', { timeout: 180_000 }, async (t) => {
  const directory = await temporaryDirectory(t);
  const figures = await surviveKills({
    directory,
    kills: 3,
    requests: 300,
    say: (line) => t.diagnostic(line),
  });
  assert.deepEqual(
    { lost: figures.lost, failed: figures.failed, collected: figures.collected },
    { lost: 0, failed: 0, collected: figures.requests },
  );
  assert.ok(figures.requests >= 300);
  assert.ok(figures.raw >= figures.requests);
});
