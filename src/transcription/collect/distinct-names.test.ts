import assert from 'node:assert/strict';
import { test } from 'node:test';
import { distinctNames } from './distinct-names.ts';

test('files of one name in an archive become pages of different names; pages of one file keep its name', () => {
  const page = (name: string, part: number | null = null) => ({ name, part });
  const names = (pages: readonly { name: string }[]) => pages.map(({ name }) => name);
  const first = distinctNames(
    [],
    [page('scan.png'), page('scan.png'), page('book.pdf', 1), page('book.pdf', 2)],
  );
  assert.deepEqual(names(first), ['scan.png', 'scan~2.png', 'book.pdf', 'book.pdf']);
  const more = [page('SCAN.png'), page('book.pdf', 1), page('book.pdf', 2), page('letter.png')];
  assert.deepEqual(names(distinctNames(first, more)), [
    'SCAN~3.png',
    'book~2.pdf',
    'book~2.pdf',
    'letter.png',
  ]);
});
