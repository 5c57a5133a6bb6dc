import assert from 'node:assert/strict';
import { relative } from 'node:path';
import { test } from 'node:test';
import { generatedFiles } from './reference.ts';

for (const { path, now, wanted } of await generatedFiles()) {
  const name = relative(process.cwd(), path);
  test(`${name} says what the schemas say`, () => {
    assert.ok(now === wanted, `${name} is out of date: run npm run reference`);
  });
}
