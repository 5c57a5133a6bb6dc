import assert from 'node:assert/strict';
import { stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryDirectory } from '../testing/temporary-directory.ts';
import { makeDirectory } from './make-directory.ts';

test('missing directories are created with their parents, and repeating it is no error', async (t) => {
  const path = join(await temporaryDirectory(t), 'a', 'b', 'c');
  for (const _ of [1, 2]) await makeDirectory(path, { mode: 0o700 });
  assert.equal((await stat(path)).mode & 0o777, 0o700);
});

test('where no directory can be created it fails instead of trying for ever', async (t) => {
  await assert.rejects(makeDirectory('/proc/none/deeper'), /no directory can be created in \/proc/);
  const directory = await temporaryDirectory(t);
  await writeFile(join(directory, 'file'), '');
  await symlink('nowhere', join(directory, 'dangling'));
  for (const name of ['file', 'file/below', 'dangling', 'dangling/below'])
    await assert.rejects(makeDirectory(join(directory, name)), name);
});
