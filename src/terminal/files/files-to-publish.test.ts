import assert from 'node:assert/strict';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryDirectory } from '../../engine/testing/temporary-directory.ts';
import { findFiles } from './files-to-publish.ts';

test('files and links to files in a directory are found, and the rest is reported as skipped', async (t) => {
  const directory = await temporaryDirectory(t);
  await mkdir(join(directory, 'box\n1'));
  await writeFile(join(directory, 'b.png'), 'b');
  await writeFile(join(directory, '.hidden'), '');
  await symlink(join(directory, 'b.png'), join(directory, 'a.png'));
  await symlink('/nowhere/at/all', join(directory, 'broken.png'));
  let told = '';
  const files = await findFiles([directory], { write: (text) => (told += text) });
  assert.deepEqual(files, [join(directory, 'a.png'), join(directory, 'b.png')]);
  assert.match(told, /skipped in .*broken\.png/);
  assert.match(told, /box\\n1/);
});

test('nothing is reported for a directory with only files', async (t) => {
  const directory = await temporaryDirectory(t);
  await writeFile(join(directory, 'a.png'), 'a');
  let told = '';
  await findFiles([directory], { write: (text) => (told += text) });
  assert.equal(told, '');
});
