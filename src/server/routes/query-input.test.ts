import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { z } from 'zod';
import { inputFromQuery, type JsonSchema, type Query, queryFromInput } from './query-input.ts';

const schema = z.strictObject({
  text: z.string(),
  count: z.int(),
  share: z.number().nullable(),
  all: z.boolean(),
  names: z.array(z.string()),
  numbers: z.array(z.number()),
  options: z.object({ deep: z.array(z.number()) }),
});
const json = z.toJSONSchema(schema, { io: 'input' }) as JsonSchema;

function parseQuery(text: string): Query {
  const query: Query = {};
  for (const name of new Set(new URLSearchParams(text).keys())) {
    const all = new URLSearchParams(text).getAll(name);
    query[name] = all.length === 1 ? all[0] : all;
  }
  return query;
}

test('any input survives the way through a query unchanged', () => {
  const fields = {
    text: fc.string({ minLength: 1 }),
    count: fc.integer(),
    share: fc.option(
      fc.double({ noNaN: true, noDefaultInfinity: true }).filter((share) => !Object.is(share, -0)),
    ),
    all: fc.boolean(),
    names: fc.array(fc.string()),
    numbers: fc.array(fc.integer()),
    options: fc.record({ deep: fc.array(fc.integer()) }, { noNullPrototype: true }),
  };
  const input = fc.record(fields, { noNullPrototype: true });
  fc.assert(
    fc.property(input, (value) => {
      assert.deepEqual(schema.parse(inputFromQuery(json, parseQuery(queryFromInput(value)))), value);
    }),
  );
});

test('a list may be written as a repeated parameter', () => {
  assert.deepEqual(inputFromQuery(json, { numbers: ['1', '2'], names: 'one' }), {
    numbers: [1, 2],
    names: ['one'],
  });
});

test('what is no number is left for the schema to refuse, and so is a parameter given twice', () => {
  assert.deepEqual(inputFromQuery(json, { count: '', all: 'yes', text: ['a', 'b'], options: '{' }), {
    count: '',
    all: 'yes',
    text: ['a', 'b'],
    options: '{',
  });
});
