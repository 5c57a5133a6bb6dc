import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { displayWidth, fit, printable } from './printable.ts';
import { type Column, formatTable } from './table.ts';

type Row = { name: string; count: number | null };
const columns: Column<Row>[] = [
  { title: 'name', of: (row) => row.name },
  { title: 'count', of: (row) => row.count },
];

test('columns are aligned, numbers on the right, and what is missing is a dash', () => {
  const rows = [
    { name: 'detect', count: 7 },
    { name: '', count: 1200 },
    { name: 'x', count: null },
  ];
  assert.deepEqual(formatTable(rows, columns), [
    'NAME    COUNT',
    'detect      7',
    '-        1200',
    'x           -',
  ]);
});

test('wide and combining characters take the room that they take on the screen', () => {
  assert.equal(displayWidth('日本'), 4);
  assert.equal(displayWidth('e\u0301'), 1);
  assert.equal(displayWidth('příliš'), 6);
  const [, first = '', second = ''] = formatTable(
    [
      { name: '日本', count: 1 },
      { name: 'abcd', count: 2 },
    ],
    columns,
  );
  assert.equal(displayWidth(first), displayWidth(second));
});

test('a table is cut to the screen where it is widest, and says so', () => {
  const lines = formatTable([{ name: 'x'.repeat(300), count: 5 }], columns, 40);
  assert.deepEqual(lines.map(displayWidth), [40, 40]);
  assert.match(lines[1] ?? '', /x… {6}5$/);
});

test('with any content, a row is one line without control characters, and fits if there is room', () => {
  fc.assert(
    fc.property(fc.array(fc.record({ name: fc.string({ unit: 'binary' }), count: fc.nat() })), (rows) => {
      for (const line of formatTable(rows, columns, 60)) {
        assert.doesNotMatch(line, /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
        assert.ok(displayWidth(line) <= 60);
      }
    }),
  );
});

test('printable text stays as it is, and what is cut is never wider than asked for', () => {
  assert.equal(printable('Kronika obce, díl 2'), 'Kronika obce, díl 2');
  assert.equal(printable('a\nb\x1b[2J\u202e'), 'a\\nb\\x1b[2J\\u{202e}');
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.nat(30), (text, width) => {
      assert.ok(displayWidth(fit(printable(text), width)) <= width);
    }),
  );
});
