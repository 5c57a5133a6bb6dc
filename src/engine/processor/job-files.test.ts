import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type Blobs, readBlob } from '../blobs/blobs.ts';
import { openDirectoryBlobs } from '../blobs/directory.ts';
import { newFile } from '../request/request.ts';
import { inlineLimit, sizeOf } from '../request/result-files.ts';
import { temporaryDirectory } from '../testing/temporary-directory.ts';
import { openJobFiles } from './job-files.ts';
import { isPermanent } from './processor.ts';

const large = (text: string) => Buffer.alloc(inlineLimit + 1, text);

async function setUp(t: TestContext) {
  const directory = await temporaryDirectory(t);
  const blobs = await openDirectoryBlobs(join(directory, 'blobs'));
  const stored = () => Array.fromAsync(blobs.list(), ({ hash }) => hash);
  return { directory, blobs, stored };
}

async function contentsOf(blobs: Blobs, files: ReturnType<typeof openJobFiles>) {
  const left = await files.result();
  const read = left.map(async ({ name, blob, content }) => [
    name,
    Buffer.from(blob === '' ? content : await readBlob(blobs, blob)).toString(),
  ]);
  return Object.fromEntries(await Promise.all(read));
}

test('large content written by a processor is stored and no longer held in memory', async (t) => {
  const { blobs, stored } = await setUp(t);
  const files = openJobFiles(blobs, [newFile('order', Buffer.from('x'))]);
  await files.write('page', large('p'));
  assert.equal((await stored()).length, 1, 'before the job ends');
  await files.write('note', Buffer.from('small'));
  assert.deepEqual(Buffer.from(await files.read('page')), large('p'));
  const left = await files.result();
  assert.deepEqual(
    left.map((file) => [file.name, file.content.length, sizeOf(file)]),
    [
      ['order', 1, 1],
      ['page', 0, inlineLimit + 1],
      ['note', 5, 5],
    ],
  );
});

test('thousands of small files do not fill the message', async (t) => {
  const { blobs } = await setUp(t);
  const files = openJobFiles(blobs, []);
  for (let number = 0; number < 40; number++) await files.write(`${number}`, Buffer.alloc(50_000, number));
  const left = await files.result();
  const inline = left.reduce((sum, file) => sum + file.content.length, 0);
  assert.ok(inline > 0 && inline <= 1024 * 1024, `${inline} bytes`);
  for (const [number, file] of left.entries()) {
    assert.deepEqual(Buffer.from(await files.read(file.name)), Buffer.alloc(50_000, number));
  }
});

test('unawaited writes are kept, the last content of each name', async (t) => {
  const { blobs } = await setUp(t);
  const files = openJobFiles(blobs, []);
  void files.write('page', large('first'));
  void files.write('gone', large('gone'));
  void files.write('small at last', large('s'));
  void files.write('page', large('last'));
  void files.write('small at last', Buffer.from('small'));
  files.remove('gone');
  assert.deepEqual(await contentsOf(blobs, files), {
    page: large('last').toString(),
    'small at last': 'small',
  });
});

test('content that cannot be stored fails the job, even if not awaited', async (t) => {
  const { blobs } = await setUp(t);
  const full = {
    ...blobs,
    put: async () => {
      throw new Error('the disk is full');
    },
  };
  const files = openJobFiles(full, []);
  void files.write('page', large('p'));
  await assert.rejects(files.result(), /the disk is full/);
});

test('a processor can get any file on disk, inline or not', async (t) => {
  const { blobs, directory } = await setUp(t);
  const files = openJobFiles(blobs, [newFile('small', Buffer.from('in the message'))]);
  await files.write('large', large('l'));
  for (const [name, content] of [
    ['small', Buffer.from('in the message')],
    ['large', large('l')],
  ] as const) {
    await files.save(name, join(directory, name));
    assert.deepEqual(await readFile(join(directory, name)), content);
    await assert.rejects(files.save(name, join(directory, name)), { code: 'EEXIST' });
  }
});

test('a processor can add any file from disk, in the order of the calls', async (t) => {
  const { blobs, directory, stored } = await setUp(t);
  const files = openJobFiles(blobs, []);
  const contents = { large: large('l'), small: Buffer.from('small'), 'large too': large('m') };
  const writing = Object.entries(contents).map(async ([name, content]) => {
    await writeFile(join(directory, name), content);
    return name;
  });
  const names = await Promise.all(writing);
  await Promise.all(names.map((name) => files.writeFrom(name, join(directory, name))));
  assert.equal((await stored()).length, 2);
  const left = await files.result();
  assert.deepEqual(
    left.map((file) => [file.name, file.content.length, sizeOf(file)]),
    [
      ['large', 0, inlineLimit + 1],
      ['small', 5, 5],
      ['large too', 0, inlineLimit + 1],
    ],
  );
  for (const [name, content] of Object.entries(contents))
    assert.deepEqual(Buffer.from(await files.read(name)), content);
  void files.writeFrom('missing', join(directory, 'missing'));
  await assert.rejects(files.result(), /ENOENT/);
});

test('a request that lacks a file fails for good', async (t) => {
  const { blobs } = await setUp(t);
  const names = Array.from({ length: 500 }, (_, number) => newFile(`page ${number}`, new Uint8Array()));
  await assert.rejects(openJobFiles(blobs, names).read('source'), (error: Error) => {
    assert.ok(isPermanent(error));
    assert.match(error.message, /has no file source; it has: page 0, .* 480 more/);
    return true;
  });
});
