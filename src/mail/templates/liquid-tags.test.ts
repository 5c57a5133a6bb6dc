import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { liquidTags } from './liquid-tags.ts';

test('tags reach from {{ or {% to the next end of their kind; without one they are text', () => {
  const expression = /\{\{[\s\S]*?\}\}|\{%[\s\S]*?%\}/g;
  const templates = fc.array(fc.constantFrom('{', '}', '%', '{{', '}}', '{%', '%}', 'a', '\n'));
  fc.assert(
    fc.property(templates, (parts) => {
      const template = parts.join('');
      const expected = template.matchAll(expression).map(({ 0: text, index }) => ({ text, index }));
      assert.deepEqual(liquidTags(template), [...expected]);
    }),
  );
});

test('100,000 tags without an end cost milliseconds', () => {
  const before = process.threadCpuUsage();
  assert.deepEqual(liquidTags('{{ {% '.repeat(50_000)), []);
  const { user, system } = process.threadCpuUsage(before);
  assert.ok(user + system < 500_000, `${user + system} µs`);
});
