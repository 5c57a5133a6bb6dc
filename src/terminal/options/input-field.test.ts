import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { inputFields, readField } from './input-field.ts';

const fields = inputFields(
  z.strictObject({
    size: z.int().positive(),
    share: z.number().min(0.5),
    count: z.int().min(1).max(9),
    colour: z.enum(['red', 'blue']),
    name: z.string().min(1).max(3),
    tag: z.string().regex(/^[a-z]+$/, 'must be small letters'),
    tags: z.array(z.string().regex(/^[a-z]+$/, 'must be small letters')).max(2),
    table: z.record(z.string(), z.record(z.string(), z.int())),
  }),
);

test('what is wrong with an option is said in words, not in those of a library', () => {
  const said = (name: string, text: string) => {
    const field = fields.find((one) => one.name === name);
    assert.ok(field);
    try {
      readField(field, text);
    } catch (error) {
      return (error as Error).message;
    }
    return 'taken';
  };
  assert.deepEqual(
    [said('size', '0'), said('size', '1.5'), said('share', '0.1'), said('count', '10')],
    [
      'it must be a whole number above 0.',
      'it must be a whole number above 0.',
      'it must be a number, 0.5 or more.',
      'it must be a number from 1 to 9.',
    ],
  );
  assert.deepEqual(
    [said('colour', 'pink'), said('name', ''), said('name', 'long'), said('tag', 'X')],
    [
      'it must be one of red, blue.',
      'it must not be empty.',
      'it must have at most 3 characters.',
      'it must be small letters.',
    ],
  );
  assert.deepEqual(
    [
      said('tags', 'a,B'),
      said('tags', 'a,b,c'),
      said('table', '{"a": 1}'),
      said('table', '{"a": {"b": "x"}}'),
    ],
    [
      'it must be small letters.',
      'it must have at most 2 entries.',
      'a must be an object.',
      'a.b must be a number.',
    ],
  );
});
