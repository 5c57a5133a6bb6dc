import assert from 'node:assert/strict';
import { test } from 'node:test';
import { temporaryDirectory } from '../../src/engine/testing/temporary-directory.ts';
import { readThroughKills } from '../faults/document-kills.ts';

test('killing everything in the middle of a document loses no page', { timeout: 600_000 }, async (t) => {
  const directory = await temporaryDirectory(t);
  const say = (line: string) => t.diagnostic(line);
  const figures = await readThroughKills({ directory, pages: 100, kills: 2, say });
  assert.deepEqual({ done: figures.done, failed: figures.failed }, { done: 100, failed: 0 });
});
