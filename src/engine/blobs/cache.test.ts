import assert from 'node:assert/strict';
import { chmod, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { hasCode } from '../ground/errors.ts';
import { startProgram } from '../testing/child-program.ts';
import { temporaryDirectory } from '../testing/temporary-directory.ts';
import { localCopy } from './cache.ts';
import { openDirectoryBlobs } from './directory.ts';

async function model(context: TestContext) {
  const directory = await temporaryDirectory(context);
  const [store, cache] = [join(directory, 'blobs'), join(directory, 'cache')];
  const blobs = await openDirectoryBlobs(store);
  const content = Buffer.alloc(2_000_000, 'model ');
  const { hash } = await blobs.put(content);
  return { store, cache, blobs, content, hash };
}

test('a local copy has the content, and is made once', async (context) => {
  const { cache, blobs, content, hash } = await model(context);
  const [path, again] = await Promise.all([localCopy(blobs, hash, cache), localCopy(blobs, hash, cache)]);
  assert.equal(path, again);
  assert.deepEqual(await readFile(path), content);
  const { ino } = await stat(path);
  await localCopy(blobs, hash, cache);
  assert.equal((await stat(path)).ino, ino);
});

test('a damaged copy is replaced', async (context) => {
  const { cache, blobs, content, hash } = await model(context);
  const path = await localCopy(blobs, hash, cache);
  await chmod(path, 0o600);
  await writeFile(path, content.subarray(0, 1000));
  assert.deepEqual(await readFile(await localCopy(blobs, hash, cache)), content);
});

test('a missing blob or an invalid name gives no copy and leaves nothing', async (context) => {
  const { cache, blobs, hash } = await model(context);
  await blobs.remove(hash);
  await assert.rejects(localCopy(blobs, hash, cache), (error) => hasCode(error, 'blob-missing'));
  await assert.rejects(localCopy(blobs, '../secret', cache), (error) => hasCode(error, 'invalid-input'));
  assert.deepEqual(await readdir(cache), []);
});

test('concurrent processes all get the complete file', async (context) => {
  const { store, cache, content, hash } = await model(context);
  const programs = [1, 2, 3].map(() => startProgram(context, 'copy-blob', [store, hash, cache]));
  for (const program of programs) assert.equal(await program.line(), 'ready');
  for (const program of programs) program.send('now');
  const paths = await Promise.all(programs.map((program) => program.line()));
  assert.deepEqual(paths, Array(3).fill(join(cache, hash)));
  assert.deepEqual(await readFile(join(cache, hash)), content);
  assert.deepEqual(await readdir(cache), [hash]);
});
