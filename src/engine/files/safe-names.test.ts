import assert from 'node:assert/strict';
import { join, sep } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  createDistinctNames,
  createDistinctPaths,
  isPlainPath,
  markedFileName,
  placeNames,
  safeFileName,
  safePath,
} from './safe-names.ts';

const hostile = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 400 }),
  fc.string({ unit: fc.constantFrom('.', '/', '\\', 'x', 'X', ' ', '~', '2') }),
  fc.constantFrom('', '.', '..', '../../etc/passwd', '/etc/passwd', 'C:\\x', 'a\0b', 'a\x1b[2Jb', '~', 'nul'),
  fc.constantFrom(
    'ž'.repeat(300),
    'a/'.repeat(300),
    'a\u202Egpj.exe',
    'COM¹.txt',
    'z\u030c',
    '\ud800',
    '.ssh',
  ),
);

function assertSafe(name: string) {
  assert.ok(name !== '' && Buffer.byteLength(name) <= 255);
  assert.doesNotMatch(
    name,
    /^\.|[/\\:*?"<>|\p{C}\p{Zl}\p{Zp}]|[. ]$|^ /u,
    'not hidden, no invisible characters',
  );
  assert.doesNotMatch(name, /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i, 'not a Windows device');
  assert.equal(name, name.toWellFormed().normalize('NFC'));
}

test('any name becomes a safe file name, and repeating changes nothing', () => {
  fc.assert(
    fc.property(hostile, (name) => {
      assertSafe(safeFileName(name));
      assertSafe(markedFileName(name));
      assert.equal(safeFileName(safeFileName(name)), safeFileName(name));
    }),
  );
});

test('any path stays below its directory, and repeating changes nothing', () => {
  fc.assert(
    fc.property(hostile, (name) => {
      const path = safePath(name);
      assert.ok(join('/below', path).startsWith(`${sep}below${sep}`));
      assert.ok(path.split('/').length <= 8);
      for (const part of path.split('/')) assertSafe(part);
      assert.equal(safePath(path), path);
      assert.ok(isPlainPath(path));
    }),
  );
});

const names: [name: string, file: string, path: string][] = [
  ['Kronika obce, díl 2.xml', 'Kronika obce, díl 2.xml', 'Kronika obce, díl 2.xml'],
  ['../../etc/passwd', '__.._etc_passwd', 'etc/passwd'],
  ['/absolute', '_absolute', 'absolute'],
  ['C:\\windows\\system32', 'C__windows_system32', 'C_/windows/system32'],
  ['a/./b//c', 'a_._b__c', 'a/b/c'],
  ['nul.txt', '_nul.txt', '_nul.txt'],
  ['.bashrc', '_bashrc', '_bashrc'],
  ['x\ny\0"<>|?*.png', 'x_y_______.png', 'x_y_______.png'],
  ['evil\u202egnp.exe', 'evil_gnp.exe', 'evil_gnp.exe'],
  ['name. . ', 'name', 'name'],
  ['..', '_', '_'],
  ['', '_', '_'],
];
for (const [name, file, path] of names) {
  test(`${JSON.stringify(name)} becomes the file ${file}, or the path ${path}`, () => {
    assert.equal(safeFileName(name), file);
    assert.equal(safePath(name), path);
  });
}

test('a long name keeps its ending', () => {
  assert.match(safeFileName(`${'x'.repeat(500)}.xml`), /^x{196}\.xml$/);
  assert.match(safePath(`${'ž'.repeat(400)}.page.xml`), /^ž{95}\.page\.xml$/u);
});

test('different names never become the same marked name', () => {
  fc.assert(
    fc.property(hostile, hostile, (one, other) => {
      fc.pre(one.toWellFormed() !== other.toWellFormed());
      assert.notEqual(markedFileName(one), markedFileName(other));
    }),
  );
});

test('colliding names are kept apart, even where case does not count', () => {
  const place = createDistinctPaths({ reserved: ['request.pb'] });
  const wanted = ['a/b.txt', 'A/B.txt', 'a/b.txt', 'a/b~2.txt', 'c', 'c', 'request.pb', 'a'];
  const given = ['a/b.txt', 'A/B~2.txt', 'a/b~3.txt', 'a/b~2~2.txt', 'c', 'c~2', 'request~2.pb', 'a~2'];
  assert.deepEqual(wanted.map(place), given);
});

test('no path is given twice, and no file takes the place of a folder', () => {
  fc.assert(
    fc.property(fc.array(hostile.map(safePath), { maxLength: 20 }), (wanted) => {
      const given = wanted.map(createDistinctPaths()).map((path) => path.toLowerCase());
      assertDisjoint(given);
    }),
  );
});

test('thousands of files of one name are quickly kept apart', () => {
  const place = createDistinctPaths();
  const given = Array.from({ length: 20_000 }, () => place('page.txt'));
  assert.equal(new Set(given).size, given.length);
  assert.equal(given.at(-1), 'page~20000.txt');
});

test('a path that leaves its directory, or has unprintable characters, is not plain', () => {
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
  for (const name of [...bad, 'x'.repeat(201), 'a/'.repeat(9)]) assert.ok(!isPlainPath(name), name);
});

test('files are placed under their own names, with folders, spaces, quotes and diacritics', () => {
  const own = [
    'order.json',
    'pages/0001',
    'strana \'první\' "č. 1".png',
    '.hidden',
    'ručně 📜.tif',
    'A',
    'a',
  ];
  assert.deepEqual(
    [...placeNames(own)],
    own.map((name) => [name, name]),
  );
});

test('files with bad names, or in the place of a folder, get other names', () => {
  const placed = placeNames(['../x', 'a', 'a/b', 'x', 'c/d', 'c', '\n']);
  assert.deepEqual([...placed.values()], ['x~2', 'a', 'a_b', 'x', 'c/d', 'c~2', '_']);
});

test('every file gets its own place, whatever the names', () => {
  fc.assert(
    fc.property(fc.uniqueArray(hostile, { maxLength: 20 }), (some) => {
      const places = placeNames(some);
      assert.deepEqual([...places.keys()], some);
      for (const place of places.values()) assert.ok(isPlainPath(place));
      assertDisjoint([...places.values()]);
    }),
  );
});

function assertDisjoint(paths: readonly string[]) {
  assert.equal(new Set(paths).size, paths.length);
  for (const path of paths) assert.ok(!paths.some((other) => other.startsWith(`${path}/`)), path);
}

test('names that would be one file on some system become several files', () => {
  const long = 'x'.repeat(300);
  const names = [
    'scan.png',
    'scan.png',
    'SCAN.PNG',
    'scan~2.png',
    'a:b',
    'a?b',
    'a/b',
    'k\u016f\u0148',
    'ku\u030an\u030c',
  ];
  const given = [...names, `${long}1.png`, `${long}2.png`].map(createDistinctNames());
  assert.deepEqual(given.slice(0, 4), ['scan.png', 'scan~2.png', 'SCAN~3.PNG', 'scan~2~2.png']);
  const files = given.map((name) => safeFileName(name).toLowerCase());
  assert.equal(new Set(files).size, given.length, files.join(' '));
});

test('any names become as many files', () => {
  const name = fc.oneof(
    fc.stringMatching(/^[aA~2:?. /]{1,5}$/),
    fc.string({ unit: 'binary', maxLength: 12 }),
    fc.integer({ min: 0, max: 3 }).map((number) => `${'y'.repeat(205)}${number}.tif`),
  );
  fc.assert(
    fc.property(fc.array(name, { maxLength: 40 }), (names) => {
      const files = names.map(createDistinctNames()).map((given) => safeFileName(given).toLowerCase());
      assert.equal(new Set(files).size, names.length);
    }),
  );
});

test('names of 100,000 spaces and dots cost milliseconds', () => {
  const before = process.threadCpuUsage();
  assert.ok(Buffer.byteLength(safeFileName(`${' .'.repeat(50_000)}a`)) <= 200);
  assert.equal(safePath(`${' '.repeat(100_000)}a`), 'a');
  const { user, system } = process.threadCpuUsage(before);
  assert.ok(user + system < 500_000, `${user + system} µs`);
});
