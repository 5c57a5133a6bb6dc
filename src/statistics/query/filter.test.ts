import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasCode } from '../../engine/ground/errors.ts';
import { loadSchemas } from '../schema/schemas.ts';
import { compileFilters, parseFilter } from './filter.ts';

test('filters read as people write them', () => {
  assert.deepEqual(parseFilter('cost<5000'), { field: 'cost', is: '<', value: 5000 });
  assert.deepEqual(parseFilter(' clicks >= 5 '), { field: 'clicks', is: '>=', value: 5 });
  assert.deepEqual(parseFilter('cost between -5 and 10'), { field: 'cost', is: 'between', value: [-5, 10] });
  assert.deepEqual(parseFilter('clicks in 1,2, 3'), { field: 'clicks', is: 'in', value: [1, 2, 3] });
  assert.deepEqual(parseFilter('status!=paused'), { field: 'status', is: '!=', value: 'paused' });
  assert.deepEqual(parseFilter('name contains red shoes'), {
    field: 'name',
    is: 'contains',
    value: 'red shoes',
  });
  assert.deepEqual(parseFilter('key=007'), { field: 'key', is: '=', value: '007' }, 'a key is no number');
  for (const text of ['', 'cost', '<5', 'cost<', 'cost like 5'])
    assert.throws(
      () => parseFilter(text),
      (error) => hasCode(error, 'invalid-input'),
      text,
    );
});

test('a filter that people write with too few or too many values is refused', () => {
  const kind = loadSchemas().get('keyword');
  for (const [text, count] of [
    ['clicks between 5', 1],
    ['clicks between 1 and 5 and 9', 3],
  ] as const)
    assert.throws(
      () => compileFilters([parseFilter(text)], kind),
      new RegExp(`clicks: \`between\` needs two values, not ${count}`),
    );
});
