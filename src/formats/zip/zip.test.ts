import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryDirectory } from '../../engine/testing/temporary-directory.ts';
import { openZip } from './read-zip.ts';
import { makeZip } from './testing/make-zip.ts';
import { writeZip, type ZipEntry } from './write-zip.ts';
import { centralRecord, endRecords } from './zip-records.ts';

const modified = new Date('2024-05-06T07:08:10Z');

/** Names and contents, as read by a program that is not ours. */
async function unpack(directory: string, archive: Uint8Array): Promise<[name: string, text: string][]> {
  const file = join(directory, 'a.zip');
  await writeFile(file, archive);
  const script = `
import json, sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as archive:
    assert archive.testzip() is None
    assert all(entry.date_time == (2024, 5, 6, 7, 8, 10) for entry in archive.infolist())
    print(json.dumps([[name, archive.read(name).decode()] for name in archive.namelist()]))`;
  return JSON.parse(execFileSync('python3', ['-c', script, file], { encoding: 'utf8', maxBuffer: 2 ** 26 }));
}

async function pack(entries: Iterable<ZipEntry>): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(writeZip(entries, modified)));
}

async function* pieces(...texts: string[]) {
  for (const text of texts) yield Buffer.from(text);
}

test('another program unpacks our ZIP: small and large files, whole and streamed, with Czech names', async (t) => {
  const long = 'Příliš žluťoučký kůň\n'.repeat(1000);
  const entries: ZipEntry[] = [
    { name: 'strana 1/text.txt', content: Buffer.from(long) },
    { name: 'žluťoučký/kůň 😀.txt', content: pieces('jeden ', 'dva ', long) },
    { name: 'empty', content: new Uint8Array() },
    { name: 'empty stream', content: pieces() },
    { name: 'image', content: Buffer.from('%PDF not really') },
  ];
  const archive = await pack(entries);
  // One of the two copies is stored uncompressed, because it was streamed.
  assert.ok(archive.length < Buffer.byteLength(long) * 1.2, 'text is deflated');
  assert.deepEqual(await unpack(await temporaryDirectory(t), archive), [
    ['strana 1/text.txt', long],
    ['žluťoučký/kůň 😀.txt', `jeden dva ${long}`],
    ['empty', ''],
    ['empty stream', ''],
    ['image', '%PDF not really'],
  ]);
});

test('more entries than the old format can count', async (t) => {
  const count = 66_000;
  const entries = function* () {
    for (let index = 0; index < count; index += 1) yield { name: `${index}`, content: Buffer.from('A') };
  };
  const file = join(await temporaryDirectory(t), 'a.zip');
  await writeFile(file, await pack(entries()));
  const script =
    'import sys, zipfile; archive = zipfile.ZipFile(sys.argv[1]); print(len(archive.namelist()), archive.read("65999"))';
  const read = execFileSync('python3', ['-c', script, file], { encoding: 'utf8' });
  assert.equal(read, `${count} b'A'\n`);
});

test('sizes and offsets above 4 GB go into ZIP64 fields', () => {
  const record = { path: Buffer.from('a'), modified, deflated: false, streamed: false, crc: 0 };
  const central = centralRecord({ ...record, offset: 2 ** 33, size: 2 ** 34, packed: 2 ** 34 });
  assert.deepEqual(
    [0, 8, 16].map((at) => central.readBigUInt64LE(central.length - 24 + at)),
    [2n ** 34n, 2n ** 34n, 2n ** 33n],
  );
  assert.equal(endRecords({ count: 1, start: 2 ** 33, length: 47 }).readUInt32LE(0), 0x06064b50);
  assert.equal(endRecords({ count: 1, start: 2 ** 20, length: 47 }).readUInt32LE(0), 0x06054b50);
});

test('hostile names are sanitised, and no path occurs twice', async (t) => {
  const names = ['../../etc/passwd', 'nul.txt', 'a.txt', 'A.txt', 'b', 'b/c'];
  const archive = await pack(names.map((name) => ({ name, content: Buffer.from(name) })));
  const unpacked = await unpack(await temporaryDirectory(t), archive);
  assert.deepEqual(
    unpacked.map(([path]) => path),
    ['etc/passwd', '_nul.txt', 'a.txt', 'A~2.txt', 'b', 'b_c'],
  );
});

test('an archive asks for no more entries once nobody reads it', async () => {
  let asked = 0;
  let closed = false;
  const endless = async function* () {
    try {
      for (;;) {
        asked += 1;
        yield { name: 'page', content: new Uint8Array(1000) };
      }
    } finally {
      closed = true;
    }
  };
  for await (const piece of writeZip(endless(), modified)) {
    assert.ok(piece.length > 0);
    if (asked === 3) break;
  }
  assert.equal(asked, 3);
  assert.ok(closed);
});

test('a ZIP is read from a file and from memory; bombs and wrong sizes are refused before they are unpacked', async (t) => {
  const limits = { entries: 10, bytes: 2 ** 31 };
  const archive = await pack([{ name: 'a/b.txt', content: Buffer.from('text '.repeat(1000)) }]);
  const file = join(await temporaryDirectory(t), 'a.zip');
  await writeFile(file, archive);
  for (const source of [file, archive]) {
    const { entries, close } = await openZip(source, limits);
    assert.deepEqual(
      entries.map(({ name, size }) => [name, size]),
      [['a/b.txt', 5000]],
    );
    assert.equal((await entries[0]?.content())?.toString(), 'text '.repeat(1000));
    assert.equal((await entries[0]?.head())?.length, 1024);
    close();
  }
  const refused = (bytes: Uint8Array, message: RegExp) =>
    assert.rejects(
      openZip(bytes, limits),
      (error: { code?: string; message: string }) =>
        error.code === 'invalid-input' && message.test(error.message),
    );
  const bomb = { name: 'a', content: 'x', declaredSize: 2 ** 30 };
  await refused(makeZip([bomb]), /bomb/);
  await refused(makeZip([bomb, bomb, bomb].map((one, index) => ({ ...one, name: `${index}` }))), /divide it/);
  await refused(makeZip([], { declaredCount: 11 }), /limit is 10/);
  await refused(archive.subarray(0, 100), /damaged/);
  const { entries } = await openZip(makeZip([{ name: 'a', content: 'xx', declaredSize: 1 }]), limits);
  await assert.rejects(entries[0]?.content() ?? Promise.resolve(), { code: 'invalid-input' });
});
