import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryDirectory } from '../testing/temporary-directory.ts';
import { openDirectoryBlobs } from './directory.ts';

test('a process in a sandbox does not take the uploads of others for those of dead processes', async (t) => {
  const directory = await temporaryDirectory(t);
  const blobs = await openDirectoryBlobs(directory);
  const more = Promise.withResolvers<void>();
  async function* content() {
    yield Buffer.from('half of ');
    await more.promise;
    yield Buffer.from('an upload');
  }
  const putting = blobs.put(content());
  while ((await readdir(join(directory, 'incoming'))).length === 0) await new Promise(setImmediate);
  const module = join(import.meta.dirname, 'directory.ts');
  const open = `await (await import(${JSON.stringify(module)})).openDirectoryBlobs(${JSON.stringify(directory)})`;
  const sandbox = ['--bind', '/', '/', '--dev', '/dev', '--proc', '/proc', '--unshare-pid'];
  const program = [process.execPath, '--input-type=module', '-e', open];
  const { status, stderr } = spawnSync('bwrap', [...sandbox, ...program], { encoding: 'utf8' });
  assert.equal(status, 0, stderr);
  more.resolve();
  const { hash } = await putting;
  assert.ok(await blobs.has(hash));
});
