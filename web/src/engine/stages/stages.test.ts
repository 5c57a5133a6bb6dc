import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changeOf, definitionText, fieldsOf, moved, restoring, type Stage } from './definition-text.ts';
import { changesOnly, differences } from './differences.ts';

const stage: Stage = {
  name: 'read',
  processor: 'recognise',
  mode: 'exclusive',
  config: 'LANGUAGE = ces\nENGINE = tesseract\n',
  files: [],
  priority: 0,
  labels: ['gpu', 'big'],
  concurrency: 1,
  retry: { attempts: 3, firstDelayMs: 1000, factor: 4, maxDelayMs: 60_000, jitter: 0.2 },
  timeoutMs: 600_000,
  memoryMb: 1024,
  foreignPriority: true,
  maxLength: null,
  version: 4,
  broken: null,
};
const show = (before: string, after: string) =>
  changesOnly(differences(before, after), 1).map((line) =>
    line ? { same: ' ', added: '+', removed: '-' }[line.kind] + line.text : '…',
  );

test('two versions differ in the lines that somebody changed, and show some around them', () => {
  const later = { ...stage, priority: 2, config: 'LANGUAGE = ces+deu\nENGINE = tesseract\n' };
  const lines = show(definitionText(stage), definitionText(later));
  assert.ok(lines.includes('-priority = 0') && lines.includes('+priority = 2'));
  assert.ok(lines.includes('-LANGUAGE = ces') && lines.includes('+LANGUAGE = ces+deu'));
  assert.ok(!lines.some((line) => line.includes('memory')));
});

test('a line that was inserted is not told as a change of all that follow', () => {
  assert.deepEqual(show('a\nb\nc', 'a\nx\nb\nc'), [' a', '+x', ' b', '…']);
  assert.deepEqual(show('a', 'a'), ['…']);
});

test('a form that nobody has touched changes nothing', () => {
  const { name: _, version: _v, broken: _b, files: _f, foreignPriority: _p, ...rest } = stage;
  assert.deepEqual(changeOf(fieldsOf(stage), stage), rest);
});

test('taking back a version sends all of it but its number', () => {
  const { broken: _, ...version } = stage;
  const input = restoring(version);
  assert.equal('version' in input, false);
  assert.deepEqual([input.name, input.config, input.labels], ['read', stage.config, ['gpu', 'big']]);
});

test('a stage moves by one place, and not beyond the ends', () => {
  assert.deepEqual(moved(['a', 'b', 'c'], 1, -1), ['b', 'a', 'c']);
  assert.deepEqual(moved(['a', 'b'], 1, 1), ['a', 'b']);
});
