import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chosenParameters, parameterFields, readLines } from './parameters.ts';

const parameters = { pages: 10, force: false, name: 'week', hosts: ['a'] };

test('a form of the parameters that nobody touched sends none', () => {
  assert.deepEqual(chosenParameters(parameterFields(parameters), parameters), {});
});

test('what was changed is sent with its type', () => {
  const fields = parameterFields(parameters).map((field) =>
    field.name === 'pages'
      ? { ...field, text: '12' }
      : field.name === 'force'
        ? { ...field, checked: true }
        : field,
  );
  assert.deepEqual(chosenParameters(fields, parameters), { pages: 12, force: true });
});

test('a broken list names its field', () => {
  const fields = parameterFields({ hosts: ['a'] }).map((field) => ({ ...field, text: '[' }));
  assert.throws(() => chosenParameters(fields, parameters), /hosts:/);
});

test('further parameters are lines, with numbers as numbers', () => {
  assert.deepEqual(readLines('pages = 3\nday = 2026-03-01\n\nnonsense'), { pages: 3, day: '2026-03-01' });
});
