import assert from 'node:assert/strict';
import { test } from 'node:test';
import { allows, familiesOf, toggleScope } from './scopes.ts';

const families = familiesOf(['results.take', 'results.confirm', 'request.submit', 'stage.ls']);

test('operations are offered by family', () => {
  assert.deepEqual(
    families.map(({ scope, operations }) => [scope, operations.length]),
    [
      ['request.', 1],
      ['results.', 2],
      ['stage.', 1],
    ],
  );
});

test('a family is ticked at once; taking one operation out leaves the others', () => {
  const whole = toggleScope(['stage.ls'], 'results.', families);
  assert.deepEqual(whole, ['stage.ls', 'results.']);
  const part = toggleScope(whole, 'results.take', families);
  assert.deepEqual(part, ['stage.ls', 'results.confirm']);
  assert.deepEqual(toggleScope(part, 'results.take', families), ['stage.ls', 'results.']);
  assert.deepEqual(toggleScope(whole, 'results.', families), ['stage.ls']);
});

test('a scope that ends with a dot allows its family, any other only itself', () => {
  assert.ok(allows(['results.'], 'results.take'));
  assert.ok(!allows(['results.take'], 'results.takeover'));
  assert.ok(!allows([], 'results.take'));
});
