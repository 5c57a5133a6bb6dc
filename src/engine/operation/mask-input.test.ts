import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { maskInput } from './mask-input.ts';

test('an audit record shows neither declared secrets nor fields named like a password, however deep', () => {
  const input = {
    name: 'anna',
    current: 'old one',
    inner: [{ newPassword: 'hush', url: 'amqp://bob:pw@host/x' }],
  };
  const text = maskInput(input, ['current']);
  assert.deepEqual(JSON.parse(text), {
    name: 'anna',
    current: '***',
    inner: [{ newPassword: '***', url: 'amqp://bob:***@host/x' }],
  });
});

test('an audit record shows the length of a file, not its content', () => {
  const { content } = JSON.parse(maskInput({ content: 'x'.repeat(100_000) }));
  assert.match(content, /^x{40}\.\.\. \(100000 characters\)$/);
});

test('an audit record is short and valid JSON for any input', () => {
  fc.assert(
    fc.property(fc.anything({ maxDepth: 5, withBigInt: true }), (input) => {
      const text = maskInput(input);
      assert.ok(text.length <= 4100);
      JSON.parse(text);
    }),
  );
  const wide = Object.fromEntries(
    Array.from({ length: 1000 }, (_, index) => [`field${index}`, 'y'.repeat(150)]),
  );
  assert.ok(maskInput([wide, wide, wide]).length <= 4100);
});
