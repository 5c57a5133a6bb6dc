import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { temporaryDirectory } from '../testing/temporary-directory.ts';
import { RotatingFile } from './rotating-file.ts';

test('a full log file is rotated, and no file exceeds the limit by more than a line', async (t) => {
  const path = `${await temporaryDirectory(t)}/logs/pismak.log`;
  const file = new RotatingFile(path, 100);
  for (let line = 0; line < 50; line++) {
    file.write(`line number ${line}\n`);
    assert.ok(statSync(path).size < 100 + 'line number 49\n'.length, `after line ${line}`);
  }
  file.close();
  const [now, before] = await Promise.all([readFile(path, 'utf8'), readFile(`${path}.1`, 'utf8')]);
  assert.ok(before.length < 100 + 'line number 49\n'.length);
  assert.match(before + now, /line number 49\n$/);
});

test('a log file continues after a restart', async (t) => {
  const path = `${await temporaryDirectory(t)}/pismak.log`;
  for (const line of ['first\n', 'second\n']) {
    const file = new RotatingFile(path);
    file.write(line);
    file.close();
  }
  assert.equal(await readFile(path, 'utf8'), 'first\nsecond\n');
});
