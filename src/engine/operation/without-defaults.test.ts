import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { withoutDefaults } from './without-defaults.ts';

test('what is left out of a change stays left out, and what is said is still checked', () => {
  const whole = z.strictObject({
    name: z.string().max(5).describe('Its name'),
    class: z.enum(['a', 'b']).default('a').describe('Its class'),
  });
  const change = z.strictObject(withoutDefaults(whole));
  assert.deepEqual(change.parse({}), {});
  assert.deepEqual(change.parse({ class: 'b' }), { class: 'b' });
  assert.throws(() => change.parse({ class: 'c' }));
  assert.equal(change.shape.class.description, 'Its class');
});
