import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdir, readlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { test } from 'node:test';
import { eventually } from '../../engine/testing/eventually.ts';
import { makeZip } from '../../formats/zip/testing/make-zip.ts';
import { makePdf } from './testing/make-pdf.ts';
import { blank, splitFile } from './testing/split-file.ts';

const png = await blank(60, 80).png().toBuffer();

test('pages of a ZIP come in the natural order of their names, without folders and system metadata files', async () => {
  const zip = makeZip([
    { name: 'fond/10.png', content: png },
    { name: 'fond/', content: '' },
    { name: '__MACOSX/fond/._2.png', content: 'x' },
    { name: 'fond/.DS_Store', content: 'x' },
    { name: 'fond/2.png', content: png },
    {
      name: 'fond/3.pdf',
      content: makePdf([
        { width: 144, height: 144 },
        { width: 144, height: 144 },
      ]),
    },
  ]);
  const { pages } = await splitFile(zip);
  assert.deepEqual(
    pages.map(({ name, part }) => [name, part]),
    [
      ['fond/2.png', undefined],
      ['fond/3.pdf', 1],
      ['fond/3.pdf', 2],
      ['fond/10.png', undefined],
    ],
  );
});

test('a bad file in a ZIP doesn’t affect the others', async () => {
  const { pages, log } = await splitFile(
    makeZip([
      { name: '1.png', content: png },
      { name: '2.png', content: png.subarray(0, 60) },
      { name: '3.txt', content: 'Notes of the archivist' },
      { name: '4.zip', content: makeZip([{ name: 'a.png', content: png }]) },
      { name: '5.png', content: '' },
      { name: '6.png', content: png, declaredSize: 7 },
      { name: '7.png', content: png },
    ]),
  );
  assert.deepEqual(
    pages.map((page) => page.file ?? 'none'),
    ['pages/0001', 'none', 'none', 'none', 'none', 'none', 'pages/0007'],
  );
  assert.match(pages[1]?.error ?? '', /damaged|truncated/);
  assert.match(pages[2]?.error ?? '', /it is plain text/);
  assert.match(pages[3]?.error ?? '', /ZIP in a ZIP/);
  assert.match(pages[4]?.error ?? '', /empty/);
  assert.match(log.at(-1) ?? '', /2 pages, 5 could not be opened/);
});

test('a ZIP with a damaged entry is closed afterwards', async () => {
  const zip = makeZip([
    { name: '1.png', content: randomBytes(2_000_000) },
    { name: '2.png', content: png },
  ]);
  // An unknown kind of block, right after the name.
  zip.fill(0xff, 35, 40);
  const { pages } = await splitFile(zip);
  assert.match(pages[0]?.error ?? '', /damaged/);
  await eventually('no deleted file is held open', async () => {
    const open = await readdir('/proc/self/fd');
    const targets = await Promise.all(open.map((one) => readlink(`/proc/self/fd/${one}`).catch(() => '')));
    return !targets.some((target) => target.startsWith(tmpdir()) && target.endsWith('(deleted)'));
  });
});

test('hostile names in a ZIP are sanitised', async () => {
  const names = [
    '../../etc/passwd.png',
    '/root/a.png',
    'C:\\x\\b.png',
    'line\nbreak.png',
    '"quoted".png',
    '🗺.png',
  ];
  const { pages, contents } = await splitFile(makeZip(names.map((name) => ({ name, content: png }))));
  assert.deepEqual(
    new Set(pages.map((page) => page.name)),
    new Set(['etc/passwd.png', 'root/a.png', 'C:/x/b.png', 'line break.png', '"quoted".png', '🗺.png']),
  );
  const written = Object.keys(contents).filter((name) => /^pages\/\d+$/.test(name));
  assert.deepEqual(
    written,
    ['1', '2', '3', '4', '5', '6'].map((number) => `pages/000${number}`),
  );
});
