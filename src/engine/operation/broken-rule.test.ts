import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { brokenRule } from './broken-rule.ts';

test('a wrong value is explained in plain words, whatever is wrong with it', () => {
  const explain = (schema: z.ZodType, value: unknown) =>
    schema.safeParse(value).error?.issues.map(brokenRule).join('; ');
  assert.equal(explain(z.int().positive(), -1), 'must be above 0');
  assert.equal(explain(z.int().min(1).max(9), 0), 'must be 1 or more');
  assert.equal(explain(z.int().max(9), 10), 'must be at most 9');
  assert.equal(explain(z.int(), 1.5), 'must be a whole number');
  assert.equal(explain(z.string(), undefined), 'is missing');
  assert.equal(explain(z.string().min(1), ''), 'must not be empty');
  assert.equal(explain(z.string().max(3), 'four'), 'must have at most 3 characters');
  assert.equal(explain(z.array(z.string()).max(1), ['a', 'b']), 'must have at most 1 entries');
  assert.equal(explain(z.enum(['red', 'blue']), 'green'), 'must be one of red, blue');
  assert.equal(explain(z.literal(['0', 0]), 90), 'must be 0');
  assert.equal(explain(z.strictObject({}), { more: 1 }), 'has unknown fields: more');
  assert.equal(explain(z.uuid(), 'x'), 'must be a valid uuid');
  assert.equal(explain(z.string().regex(/^a$/), 'x'), 'must match /^a$/');
  assert.equal(explain(z.union([z.int().positive(), z.uuid()]), true), 'must be a number, or must be text');
  assert.equal(
    explain(
      z.string().refine(() => false, 'use a name'),
      'x',
    ),
    'use a name',
  );
});
