import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { engineOperations } from './index.ts';

for (const operation of engineOperations) {
  test(`${operation.name} is declared so that its documentation can be made`, () => {
    assert.match(operation.name, /^[a-z]+\.[a-z]+$/);
    assert.ok(operation.summary.length > 10 && !operation.summary.endsWith('.'), operation.summary);
    operation.input.parse(operation.example);
    const input = z.toJSONSchema(operation.input, { io: 'input' });
    assert.equal(input.type, 'object');
    assert.equal(input.additionalProperties, false, 'a misspelt field must be refused');
    assert.equal(z.toJSONSchema(operation.output, { io: 'output' }).type, 'object');
  });
}

test('no two operations share a name', () => {
  assert.equal(new Set(engineOperations.map(({ name }) => name)).size, engineOperations.length);
});
