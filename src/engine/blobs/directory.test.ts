import assert from 'node:assert/strict';
import {
  chmod,
  mkdtemp,
  open,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { temporaryName } from '../files/temporary-files.ts';
import { startProgram } from '../testing/child-program.ts';
import { temporaryDirectory } from '../testing/temporary-directory.ts';
import { readBlob } from './blobs.ts';
import { openDirectoryBlobs } from './directory.ts';
import { blobsContract } from './testing/contract.ts';

const fileOf = (directory: string, hash: string) => join(directory, hash.slice(0, 2), hash);

blobsContract('directory', async (context) => {
  const directory = await temporaryDirectory(context);
  return {
    open: () => openDirectoryBlobs(directory),
    async damage(hash) {
      await chmod(fileOf(directory, hash), 0o600);
      const file = await open(fileOf(directory, hash), 'r+');
      await file.write('?', 1000);
      await file.close();
    },
  };
});

describe('the directory of blobs', () => {
  test('a blob is had as a file without a copy on its device, and with one elsewhere', async (context) => {
    const directory = await temporaryDirectory(context);
    const blobs = await openDirectoryBlobs(join(directory, 'blobs'));
    const content = Buffer.alloc(3_000_000, 'page ');
    const { hash } = await blobs.put(content);
    const stored = await stat(fileOf(join(directory, 'blobs'), hash));
    await blobs.place(hash, join(directory, 'near'));
    assert.equal((await stat(join(directory, 'near'))).ino, stored.ino);
    const memory = await mkdtemp('/dev/shm/pismak-blobs-');
    context.after(() => rm(memory, { recursive: true, force: true }));
    const far = await stat(memory);
    assert.notEqual(far.dev, stored.dev, '/dev/shm is another device than the one of temporary files');
    await blobs.place(hash, join(memory, 'far'));
    assert.deepEqual(await readFile(join(memory, 'far')), content);
  });

  test('a path where nothing can be made is refused at once, and the message names the setting', async () => {
    const refused = openDirectoryBlobs('/proc/blobs');
    await assert.rejects(
      refused,
      /no directory can be created in \/proc; choose another with the setting `blobs`/,
    );
  });

  test('after kill -9 during a put, finished blobs are complete and nothing else is left', async (context) => {
    const directory = await temporaryDirectory(context);
    const program = startProgram(context, 'put-endlessly', [directory]);
    const hashes: string[] = [];
    for (let line = await program.line(); line !== 'writing'; line = await program.line()) hashes.push(line);
    await program.kill();
    assert.equal((await readdir(join(directory, 'incoming'))).length, 1);

    const blobs = await openDirectoryBlobs(directory);
    assert.deepEqual(await readdir(join(directory, 'incoming')), []);
    assert.deepEqual((await Array.fromAsync(blobs.list(), (blob) => blob.hash)).sort(), hashes.sort());
    for (const hash of hashes) await readBlob(blobs, hash);
  });

  test('a blob and its name reach the disk before the put resolves', async (context) => {
    const directory = await temporaryDirectory(context);
    const trace = join(directory, 'trace');
    const strace = ['strace', '-f', '-y', '-e', 'trace=fsync,fdatasync', '-o', trace];
    const program = startProgram(context, 'put-endlessly', [join(directory, 'blobs'), 'only-small'], strace);
    const hashes = await program.rest();
    await program.ended;
    const syncs = await readFile(trace, 'utf8');
    assert.equal(syncs.match(/fdatasync\(\d+<[^>]*incoming\/[^>]*>/g)?.length, hashes.length);
    for (const hash of hashes) {
      assert.match(syncs, new RegExp(`fsync\\(\\d+<[^>]*blobs/${hash.slice(0, 2)}>`));
    }
  });

  test('opening spares the unfinished files of live processes, here or elsewhere, for a day', async (context) => {
    const directory = await temporaryDirectory(context);
    await openDirectoryBlobs(directory);
    const incoming = join(directory, 'incoming');
    const ours = temporaryName();
    const elsewhere = 'another-host~1~1';
    for (const name of [ours, elsewhere]) await writeFile(join(incoming, name), 'half');
    await openDirectoryBlobs(directory);
    assert.deepEqual((await readdir(incoming)).sort(), [ours, elsewhere].sort());

    const longAgo = new Date(Date.now() - 25 * 60 * 60 * 1000);
    for (const name of [ours, elsewhere]) await utimes(join(incoming, name), longAgo, longAgo);
    await openDirectoryBlobs(directory);
    assert.deepEqual(await readdir(incoming), []);
  });

  test('a blob that a killed process was removing comes back', async (context) => {
    const directory = await temporaryDirectory(context);
    const blobs = await openDirectoryBlobs(directory);
    const { hash } = await blobs.put(Buffer.from('nearly gone'));
    await rename(
      fileOf(directory, hash),
      join(directory, 'incoming', `${hostname()}~999999999~1~removed~${hash}`),
    );
    assert.equal(await blobs.has(hash), false);
    await openDirectoryBlobs(directory);
    assert.equal(Buffer.from(await readBlob(blobs, hash)).toString(), 'nearly gone');
  });

  test('only the owner can read the files', async (context) => {
    const directory = await temporaryDirectory(context);
    const { hash } = await (await openDirectoryBlobs(directory)).put(Buffer.from('private'));
    assert.equal((await stat(fileOf(directory, hash))).mode & 0o077, 0);
  });

  test('removing old blobs while they are put again never loses one that was put', async (context) => {
    const directory = await temporaryDirectory(context);
    const blobs = await openDirectoryBlobs(directory);
    const content = Buffer.from('contended');
    const { hash } = await blobs.put(content);
    const longAgo = new Date(Date.now() - 1_000_000);
    for (let round = 0; round < 300; round++) {
      await utimes(fileOf(directory, hash), longAgo, longAgo);
      const put = blobs.put(content);
      // Hits a different moment of the put in each round.
      for (let turn = 0; turn < round % 100; turn++) await setImmediate();
      await Promise.all([put, blobs.remove(hash, { storedBefore: Date.now() - 500_000 })]);
      assert.equal(await blobs.has(hash), true, `round ${round}`);
    }
  });
});
