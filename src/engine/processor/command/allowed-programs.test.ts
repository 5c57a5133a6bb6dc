import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkAllowed } from './allowed-programs.ts';

test('nothing is allowed by default, and the refusal says what to add and where', () => {
  assert.throws(
    () => checkAllowed('python3 stage/x.py', []),
    /pismak\.toml.*\[command\].*allow = \["\/.*python3"\]/,
  );
});

test('a program that is listed may run, by its path or by the name that leads to it', () => {
  checkAllowed('/bin/sh -e', ['/bin/sh']);
  checkAllowed('env a b', ['/usr/bin/env']);
  checkAllowed('/opt/tools/ocr in/image "a b" "$PISMAK_LANGUAGE"', ['/opt/tools/*']);
});

test('an asterisk stands for any characters but a slash, also in the middle of a name', () => {
  checkAllowed('/opt/v2/ocr-fast-cs', ['/opt/*/ocr-*-c*s']);
  for (const line of ['/opt/v2/ocr-cs', '/opt/v2/x/ocr-a-cs', '/opt/v2/ocr-a-cs2', '/opt/v2/ocr-a-s'])
    assert.throws(() => checkAllowed(line, ['/opt/*/ocr-*-c*s']), /COMMAND may/);
});

const onlyTools = ['/opt/tools/*'];
const refused = [
  '/opt/tools/../../bin/sh',
  '/opt/tools/deep/ocr',
  '/opt/tools',
  'sh -c id',
  'A=b /opt/tools/ocr',
  './ocr',
  'stage/ocr',
  '/opt/tools/ocr; id',
  '/opt/tools/ocr && id',
  '/opt/tools/ocr | sh',
  '/opt/tools/ocr $(id)',
  '/opt/tools/ocr `id`',
  '/opt/tools/ocr "$PISMAK_LANGUAGE$(id)"',
  '/opt/tools/ocr >/etc/passwd',
  '/opt/tools/ocr $HOME',
  '/opt/tools/ocr\nid',
];
for (const line of refused)
  test(`refused: ${JSON.stringify(line)}`, () =>
    assert.throws(() => checkAllowed(line, onlyTools), /COMMAND may/));

test('a star alone allows any line', () => checkAllowed('cat in/a | sort >out/b', ['*']));
