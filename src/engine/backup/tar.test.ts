import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { temporaryDirectory } from '../testing/temporary-directory.ts';
import { readTar, type TarEntry, writeTar } from './tar.ts';

function entry(name: string, content: Uint8Array): TarEntry {
  const chunks = (async function* () {
    yield content;
  })();
  return { name, size: content.length, content: chunks };
}

async function bytes(source: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of source) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function* inPieces(archive: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < archive.length; at += size) yield archive.subarray(at, at + size);
}

test('an archive is read back, in whatever pieces it arrives', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(fc.tuple(fc.stringMatching(/^[a-z]{1,20}$/), fc.uint8Array({ maxLength: 1500 })), {
        selector: ([name]) => name,
      }),
      fc.integer({ min: 1, max: 2000 }),
      async (files, piece) => {
        const archive = await bytes(writeTar(files.map(([name, content]) => entry(name, content))));
        const read: [string, Uint8Array][] = [];
        for await (const { name, content } of readTar(inPieces(archive, piece))) {
          read.push([name, new Uint8Array(await bytes(content))]);
        }
        assert.deepEqual(read, files);
      },
    ),
    { numRuns: 50 },
  );
});

test('unread files are skipped', async () => {
  const archive = await bytes(writeTar([entry('a', Buffer.alloc(1000, 1)), entry('b', Buffer.from('end'))]));
  const names: string[] = [];
  for await (const { name } of readTar(inPieces(archive, 100))) names.push(name);
  assert.deepEqual(names, ['a', 'b']);
});

test('tar reads what we write, and we read what tar writes', async (context) => {
  const directory = await temporaryDirectory(context);
  const ours = join(directory, 'ours.tar');
  writeFileSync(ours, await bytes(writeTar([entry('blobs/ab/cd', Buffer.from('hello'))])));
  assert.equal(execFileSync('tar', ['-xOf', ours, 'blobs/ab/cd'], { encoding: 'utf8' }), 'hello');
  writeFileSync(join(directory, 'file'), 'from tar');
  const theirs = execFileSync('tar', ['-C', directory, '--format=ustar', '-cf', '-', 'file']);
  for await (const { name, content } of readTar(inPieces(theirs, 77))) {
    assert.equal(name, 'file');
    assert.equal((await bytes(content)).toString(), 'from tar');
  }
});

test('a damaged header, a link and a truncated archive are refused', async (context) => {
  const read = async (archive: Uint8Array) => {
    for await (const { content } of readTar(inPieces(archive, 512))) await bytes(content);
  };
  const archive = await bytes(writeTar([entry('a', Buffer.alloc(600, 1))]));
  const flipped = Buffer.from(archive);
  flipped[3] = 65;
  const refused = { code: 'invalid-input' };
  await assert.rejects(read(flipped), refused);
  await assert.rejects(read(archive.subarray(0, 700)), refused);
  await assert.rejects(read(archive.subarray(0, 1536)), refused);
  const directory = await temporaryDirectory(context);
  execFileSync('ln', ['-s', '/etc/passwd', join(directory, 'link')]);
  await assert.rejects(read(execFileSync('tar', ['-C', directory, '-cf', '-', 'link'])), refused);
});
