import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryDirectory } from '../src/engine/testing/temporary-directory.ts';
import { longestFirst, readTestTimes, rememberTestTimes } from './test-times.ts';

test('the files that took longest last time come first; for new ones there is a guess', () => {
  const times = { 'short.test.ts': 10, 'long.test.ts': 9000 };
  const files = ['new.test.ts', 'short.test.ts', 'long.test.ts'];
  assert.deepEqual(
    longestFirst(files, times, () => 500),
    ['long.test.ts', 'new.test.ts', 'short.test.ts'],
  );
});

test('a run of some files keeps what is known of the others, and a damaged file is no hindrance', async (t) => {
  const file = join(await temporaryDirectory(t), 'cache', 'times.json');
  rememberTestTimes(file, { 'a.test.ts': 1, 'b.test.ts': 2 });
  rememberTestTimes(file, { 'b.test.ts': 3 });
  assert.deepEqual(readTestTimes(file), { 'a.test.ts': 1, 'b.test.ts': 3 });
  await writeFile(file, '{"a.test.ts": ');
  assert.deepEqual(readTestTimes(file), {});
});
