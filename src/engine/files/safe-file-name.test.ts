import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createNamer, markedFileName, safeFileName } from './safe-file-name.ts';

const hostile = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 400 }),
  fc.constantFrom(
    '',
    '.',
    '..',
    '../../etc/passwd',
    '/etc/passwd',
    'C:\\x',
    'a\0b',
    'a\x1b[2Jb',
    'ž'.repeat(300),
    'a\u202Egpj.exe',
  ),
);

test('whatever the name, it is the name of one file in this directory', () => {
  fc.assert(
    fc.property(hostile, (name) => {
      for (const safe of [safeFileName(name), markedFileName(name)]) {
        assert.ok(safe !== '' && safe !== '.' && safe !== '..');
        assert.doesNotMatch(safe, /[/\\\p{Cc}\p{Cf}]/u);
        assert.ok(Buffer.byteLength(safe) <= 255);
        assert.equal(safe, safe.toWellFormed());
      }
    }),
  );
});

test('different names never become the same marked name', () => {
  fc.assert(
    fc.property(hostile, hostile, (one, other) => {
      fc.pre(one !== other);
      assert.notEqual(markedFileName(one), markedFileName(other));
    }),
  );
});

test('good names stay as they are, long ones keep their extension', () => {
  assert.equal(safeFileName('Kronika obce, díl 2.xml'), 'Kronika obce, díl 2.xml');
  assert.equal(safeFileName('.hidden'), '.hidden');
  assert.match(safeFileName(`${'x'.repeat(500)}.xml`), /^x{196}\.xml$/);
});

test('names that collide are kept apart, also where case does not count', () => {
  const place = createNamer(['request.pb']);
  assert.deepEqual(['a/b.txt', 'a_b.txt', 'A_B.txt', 'request.pb', 'x'].map(place), [
    'a_b.txt',
    'a_b~2.txt',
    'A_B~3.txt',
    'request~2.pb',
    'x',
  ]);
});
