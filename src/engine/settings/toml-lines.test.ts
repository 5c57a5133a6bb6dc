import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lineOf, tomlLines } from './toml-lines.ts';

test('keys are found under headers, dotted, quoted, and not inside texts of several lines', () => {
  const text = [
    'data = """',
    'port = 1',
    '[http]',
    '"""',
    'http.host = "x"',
    '[ worker ] # comment',
    'labels = [',
    '  "a = b",',
    ']',
    "'count' = 2",
    '[http]',
    'port = 3',
  ].join('\n');
  const lines = tomlLines(text);
  assert.equal(lines.get('data'), 1);
  assert.equal(lines.get('http.host'), 5);
  assert.equal(lines.get('worker'), 6);
  assert.equal(lines.get('worker.labels'), 7);
  assert.equal(lines.get('worker.count'), 10);
  assert.equal(lines.get('http.port'), 12);
  assert.equal(lines.get('port'), undefined);
});

test('keys are found in files with Windows line ends', () => {
  assert.equal(tomlLines('[http]\r\nport = 3\r\n').get('http.port'), 2);
});

test('what stands in an inline table has the line of the table', () => {
  assert.equal(lineOf(tomlLines('\nhttp = { port = 1 }'), 'http.port'), 2);
  assert.equal(lineOf(tomlLines('a = 1'), 'http.port'), undefined);
});
