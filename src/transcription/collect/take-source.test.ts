import assert from 'node:assert/strict';
import { test } from 'node:test';
import { distinctNames } from './take-source.ts';

test('files of one name in an archive become pages of different names; pages of one file keep its name', () => {
  const pages = [
    { name: 'scan.png' },
    { name: 'scan.png' },
    { name: 'SCAN.png' },
    ...[1, 2].map((part) => ({ name: 'book.pdf', part })),
    ...[1, 2].map((part) => ({ name: 'book.pdf', part })),
    { name: '' },
  ];
  assert.deepEqual(distinctNames({ name: 'box.zip' }, pages), [
    ...['scan.png', 'scan~2.png', 'SCAN~3.png'],
    ...['book.pdf', 'book.pdf', 'book~2.pdf', 'book~2.pdf'],
    'box.zip',
  ]);
});
