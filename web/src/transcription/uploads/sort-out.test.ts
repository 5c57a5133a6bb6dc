import assert from 'node:assert/strict';
import { test } from 'node:test';
import { missingIn, readLeftOvers, writeLeftOvers } from './left-over.ts';
import { byFolder, keyOf, sortOut, sourceNames, suggestedName } from './sort-out.ts';

const chosen = (path: string, size = 1) => ({
  path,
  file: new File([new Uint8Array(size)], path.split('/').at(-1) ?? path, { lastModified: 5 }),
});
const pathsOf = (all: readonly { path: string }[]) => all.map(({ path }) => path);

test('scans are taken in the order of their numbers, and what can’t be read is refused with the reason', () => {
  const { taken, refused } = sortOut([
    chosen('box/page10.TIF'),
    chosen('box/page2.tif'),
    chosen('box/notes.docx'),
    chosen('box/empty.png', 0),
    chosen('box/without-extension'),
    chosen('box/.DS_Store'),
    chosen('__MACOSX/box/page2.tif'),
    chosen('Thumbs.db'),
  ]);
  assert.deepEqual(pathsOf(taken), ['box/page2.tif', 'box/page10.TIF', 'box/without-extension']);
  assert.deepEqual(refused, [
    { path: 'box/notes.docx', why: 'kind' },
    { path: 'box/empty.png', why: 'empty' },
  ]);
});

test('files with the same name in two folders keep their paths', () => {
  const names = sourceNames([chosen('a/1.tif'), chosen('b/1.TIF'), chosen('b/2.tif')]);
  assert.deepEqual(names, ['a/1.tif', 'b/1.TIF', '2.tif']);
});

test('a document is called like its folder or its only file', () => {
  assert.equal(suggestedName([chosen('Chronicle/1.tif'), chosen('Chronicle/2/3.tif')]), 'Chronicle');
  assert.equal(suggestedName([chosen('letter.1907.pdf')]), 'letter.1907');
  assert.equal(suggestedName([chosen('a.tif'), chosen('b.tif')]), undefined);
  assert.equal(suggestedName([]), undefined);
});

test('folders become documents of their own, and single files too', () => {
  const groups = byFolder([
    chosen('box/a/1.tif'),
    chosen('box/a/2.tif'),
    chosen('box/b/1.tif'),
    chosen('x.pdf'),
  ]);
  assert.deepEqual(
    groups.map(({ name, taken }) => [name, taken.length]),
    [
      ['a', 2],
      ['b', 1],
      ['x', 1],
    ],
  );
});

test('an upload that was cut off is found again by the same files, for a day', () => {
  const [first, second] = [chosen('box/1.tif'), chosen('box/2.tif')];
  const left = { document: 'd1', name: 'box', at: 1000, files: { [keyOf(second)]: 'u7' } };
  const text = writeLeftOvers([], left);
  assert.deepEqual(readLeftOvers(text, 2000), [left]);
  assert.deepEqual(pathsOf(missingIn(left, [first, second])), ['box/2.tif']);
  assert.deepEqual(readLeftOvers(text, 1000 + 24 * 3_600_000), [], 'the server has forgotten it');
  assert.equal(writeLeftOvers([left], { ...left, files: {} }), undefined, 'nothing is missing any more');
  assert.deepEqual(readLeftOvers('not JSON', 0), []);
});
