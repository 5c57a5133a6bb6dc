import assert from 'node:assert/strict';
import { basename } from 'node:path';
import { test } from 'node:test';
import { referencePages } from './reference.ts';

for (const { path, now, wanted } of await referencePages()) {
  test(`docs/${basename(path)} says what the schemas say`, () => {
    assert.ok(now === wanted, `docs/${basename(path)} is out of date: run npm run reference`);
  });
}
