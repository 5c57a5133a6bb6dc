import assert from 'node:assert/strict';
import { test } from 'node:test';
import { temporaryDirectory } from '../../src/engine/testing/temporary-directory.ts';
import { readThroughKills } from '../faults/document-kills.ts';

test('killing everything in the middle of a document loses no page', { timeout: 600_000 }, async (t) => {
  const directory = await temporaryDirectory(t);
  const say = (line: string) => t.diagnostic(line);
  const figures = await readThroughKills({ directory, pages: 800, kills: 2, say });
  const { done, failed, lost, duplicates } = figures;
  assert.deepEqual({ done, failed, lost, duplicates }, { done: 800, failed: 0, lost: 0, duplicates: 0 });
  assert.equal(figures.kills, 2, 'both kills came before the end');
});
