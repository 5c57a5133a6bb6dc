import assert from 'node:assert/strict';
import { test } from 'node:test';
import { temporaryDirectory } from '../src/engine/testing/temporary-directory.ts';
import { faultsOf, withstand } from './hostile/withstand.ts';

test('hostile requests and files crash nothing, see nothing foreign and don’t disturb an honest user', async (t) => {
  const directory = await temporaryDirectory(t);
  const figures = await withstand({
    directory,
    seed: 1,
    requests: 500,
    files: 28,
    quietMs: 2_000,
    pageSeconds: 1,
    pace: 0.2,
  });
  assert.equal(figures.attack.requests, 500);
  assert.equal(figures.attack.files.sent, 28);
  assert.deepEqual(faultsOf(figures, { times: false }), []);
});
