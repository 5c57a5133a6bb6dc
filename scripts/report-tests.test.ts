import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TestEvent } from 'node:test/reporters';
import { reportTests } from './report-tests.ts';

const counts = { cancelled: 0, passed: 1, skipped: 0, suites: 0, tests: 1, todo: 0, topLevel: 1 };
const place = {
  ...{ name: 'two and two make four', file: 'sum.test.ts', line: 3, column: 1, nesting: 0 },
  ...{ testNumber: 1, testId: 1, parentId: undefined, tags: [] },
};

function summary(success: boolean, skipped = 0): TestEvent {
  return {
    type: 'test:summary',
    data: { success, duration_ms: 1, file: undefined, counts: { ...counts, skipped } },
  };
}

async function report(...events: TestEvent[]): Promise<{ passed: boolean; text: string }> {
  let text = '';
  const passed = await reportTests(
    (async function* () {
      yield* events;
    })(),
    (more) => {
      text += more;
    },
  );
  return { passed, text };
}

test('tests that pass show dots and the counts, and nothing that they printed', async () => {
  const { passed, text } = await report(
    { type: 'test:stdout', data: { file: 'sum.test.ts', message: 'chatter' } },
    { type: 'test:pass', data: { ...place, details: { duration_ms: 1, type: 'test' } } },
    { type: 'test:diagnostic', data: { message: 'tests 1', nesting: 0, level: 'info' } },
    summary(true),
  );
  assert.equal(passed, true);
  assert.equal(text, '.\n\nℹ tests 1\n');
});

test('a failure is shown with its place, its reason and what its file printed', async () => {
  const error = Object.assign(new Error('test failed'), { cause: new Error('got five') });
  const { passed, text } = await report(
    { type: 'test:stdout', data: { file: 'sum.test.ts', message: 'adding' } },
    { type: 'test:fail', data: { ...place, details: { duration_ms: 1, type: 'test', error } } },
    summary(false),
  );
  assert.equal(passed, false);
  assert.match(text, /✖ two and two make four \(sum\.test\.ts:3:1\)\n {2}Error: got five/);
  assert.match(text, /printed by sum\.test\.ts:\nadding/);
});

test('a skipped test fails the run by name', async () => {
  const { passed, text } = await report(
    { type: 'test:pass', data: { ...place, details: { duration_ms: 1, type: 'test' }, skip: true } },
    summary(true, 1),
  );
  assert.equal(passed, false);
  assert.match(text, /two and two make four: skipped/);
});
