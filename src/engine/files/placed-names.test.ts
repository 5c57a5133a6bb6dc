import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isSafeName, placeNames } from './placed-names.ts';

test('a name that leads out of its directory, or that nobody can type, is refused', () => {
  const bad = [
    '',
    '.',
    '..',
    '/etc/passwd',
    '../a',
    'a/../b',
    'a//b',
    'a/',
    'a\\b',
    'a\nb',
    'a\0b',
    '\ud800',
  ];
  for (const name of [...bad, 'x'.repeat(201), 'a/'.repeat(9)]) assert.ok(!isSafeName(name), name);
});

test('names of ordinary files are kept, with folders, spaces, quotes and diacritics', () => {
  const names = ['order.json', 'pages/0001', 'strana \'první\' "č. 1".png', '.hidden', 'ručně 📜.tif'];
  assert.deepEqual(
    [...placeNames(names)],
    names.map((name) => [name, name]),
  );
});

test('files with bad names, or where a folder stands already, are placed under others', () => {
  const placed = placeNames(['a', 'a/b', '../x', 'c/d', 'c', 'unnamed-1']);
  assert.deepEqual([...placed.values()], ['a', 'unnamed-1', 'unnamed-2', 'c/d', 'unnamed-3', 'unnamed-4']);
});

test('whatever the names are, every file has a safe place of its own', () => {
  const part = fc.oneof(fc.constantFrom('a', 'b', '..', '.', '', 'unnamed-1'), fc.string({ unit: 'binary' }));
  const name = fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/'));
  fc.assert(
    fc.property(fc.uniqueArray(name, { maxLength: 20 }), (names) => {
      const places = [...placeNames(names).values()];
      assert.equal(new Set(places).size, names.length);
      for (const place of places) {
        assert.ok(isSafeName(place));
        assert.ok(!places.some((other) => other.startsWith(`${place}/`)));
      }
    }),
  );
});
