import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryDirectory } from '../../engine/testing/temporary-directory.ts';
import { all, parseXml } from '../../formats/markup/testing/xml-tree.ts';
import { describePageImage } from '../image/page-image.ts';
import { runHouse } from '../testing/running-transcription.ts';
import { documentArchive } from './archive.ts';
import { getDocument } from './document.ts';

/** Contents by name, as read by a program that is not ours. */
async function unpack(file: string, archive: AsyncIterable<Uint8Array>): Promise<Map<string, Buffer>> {
  await writeFile(file, archive);
  const script = `
import base64, json, sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as archive:
    print(json.dumps([[name, base64.b64encode(archive.read(name)).decode()] for name in archive.namelist()]))`;
  const entries: [string, string][] = JSON.parse(
    execFileSync('python3', ['-c', script, file], { encoding: 'utf8' }),
  );
  return new Map(entries.map(([name, content]) => [name, Buffer.from(content, 'base64')]));
}

/** Text that starts with the signature of WebP. */
const webp = (text: string) => `RIFF1234WEBP ${text}`;

test('METS lists the images and texts of all pages, and the ZIP has each file with that checksum', async (t) => {
  const { engine, submit, reaches } = await runHouse(t);
  const id = await submit({
    'strana "1".webp': webp('jedna'),
    '../svazek.tif': `${webp('dvě')}\f${webp('tři')}`,
    'hard.png': 'unreadable',
  });
  await reaches(id, 'partly');
  const file = join(await temporaryDirectory(t), 'a.zip');
  const { blobs, database } = engine;
  const parts = { blobs, queries: database.query };
  const document = await getDocument(database.query, id);
  const entries = await unpack(file, documentArchive(parts, document));

  const mets = parseXml(String(entries.get('mets.xml')));
  const files = all(mets, 'file').map((one) => ({
    ...one.attributes,
    path: decodeURIComponent(all(one, 'FLocat')[0]?.attributes['xlink:href'] ?? ''),
  }));
  for (const { path, SIZE, CHECKSUM, CHECKSUMTYPE } of files as Record<string, string>[]) {
    const content = entries.get(path ?? '');
    assert.ok(content, `${path} is in the ZIP`);
    assert.deepEqual([SIZE, CHECKSUMTYPE], [String(content.length), 'SHA-256']);
    assert.equal(CHECKSUM, createHash('sha256').update(content).digest('hex'));
  }
  assert.deepEqual(new Set(entries.keys()), new Set([...files.map(({ path }) => path), 'mets.xml']));
  const groups = all(mets, 'fileGrp').map((group) => [
    group.attributes.USE,
    all(group, 'file').map(({ attributes }) => attributes.MIMETYPE),
  ]);
  const [image, json, text] = ['image/webp', 'application/json', 'text/plain'];
  assert.deepEqual(groups, [
    ['IMAGE', [image, image, image, 'application/octet-stream']],
    ['JSON', [json, json, json]],
    ['TEXT', [text, text, text]],
  ]);
  const pages = all(mets, 'div').filter(({ attributes }) => attributes.TYPE === 'page');
  const pathOf = new Map(files.map((one) => [(one as Record<string, string>).ID, one.path]));
  assert.deepEqual(
    pages.map((page) => all(page, 'fptr').map(({ attributes }) => pathOf.get(attributes.FILEID ?? ''))),
    [
      ['0001/strana _1_.webp', '0001/page.json', '0001/text.txt'],
      ['0002/svazek-0001.webp', '0002/page.json', '0002/text.txt'],
      ['0003/svazek-0002.webp', '0003/page.json', '0003/text.txt'],
      ['0004/hard.bin'],
    ],
  );

  const without = await unpack(file, documentArchive(parts, document, { images: false }));
  assert.deepEqual(
    [...without.keys()].filter((name) => !/\/(page\.json|text\.txt)$/.test(name)),
    ['mets.xml'],
  );
  assert.doesNotMatch(String(without.get('mets.xml')), /USE="IMAGE"/);
});

test('the image of a page keeps the name its owner gave it, with the extension of its format', () => {
  const png = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
  const names = (part: number | null) =>
    ['a.PNG', 'a.jpg', 'text.txt', 'box/b.png', '.png', ''].map(
      (name) => describePageImage({ name, part }, png).fileName,
    );
  assert.deepEqual(names(null), ['a.PNG', 'a.png', 'text.png', 'b.png', '_png.png', 'image.png']);
  assert.equal(names(12)[0], 'a-0012.png');
});
