import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { test } from 'node:test';
import type { TestEvent } from 'node:test/reporters';
import { reportTests } from './report-tests.ts';

const counts = { cancelled: 0, passed: 1, skipped: 0, suites: 0, tests: 1, todo: 0, topLevel: 1 };
const place = {
  name: 'two and two make four',
  file: 'sum.test.ts',
  line: 3,
  column: 1,
  nesting: 0,
  testNumber: 1,
  testId: 1,
  parentId: undefined,
  tags: [],
};

function summary(success: boolean, skipped = 0): TestEvent {
  return {
    type: 'test:summary',
    data: { success, duration_ms: 1, file: undefined, counts: { ...counts, skipped } },
  };
}

function complete(name: string, file: string, ms: number, passed = true): TestEvent {
  const details = { duration_ms: ms, type: 'test' as const, passed };
  return { type: 'test:complete', data: { ...place, name, file, details } };
}

async function report(...events: TestEvent[]): Promise<{ passed: boolean; text: string }> {
  let text = '';
  const { passed } = await reportTests(
    (async function* () {
      yield* events;
    })(),
    (more) => {
      text += more;
    },
    () => new Map([[resolve('11.test.ts'), 2.5]]),
  );
  return { passed, text };
}

test('tests that pass show dots and the counts, and nothing that they printed', async () => {
  const { passed, text } = await report(
    { type: 'test:stdout', data: { file: 'sum.test.ts', message: 'chatter' } },
    complete(place.name, 'sum.test.ts', 1),
    complete('sum.test.ts', resolve('sum.test.ts'), 2),
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
    complete(place.name, 'sum.test.ts', 1, false),
    { type: 'test:fail', data: { ...place, details: { duration_ms: 1, type: 'test', error } } },
    summary(false),
  );
  assert.equal(passed, false);
  assert.match(text, /^X\n\n✖ two and two make four \(sum\.test\.ts:3:1\)\n {2}Error: got five/);
  assert.match(text, /printed by sum\.test\.ts:\nadding/);
});

test('the file that failed is the one that ran, not the contract that its test is written in', async () => {
  const error = Object.assign(new Error('test failed'), { cause: new Error('got five') });
  const { text } = await report(
    { type: 'test:stdout', data: { file: 'sqlite.test.ts', message: 'opening' } },
    { type: 'test:fail', data: { ...place, details: { duration_ms: 1, type: 'test', error } } },
    complete('sqlite.test.ts', resolve('sqlite.test.ts'), 2, false),
    complete('postgres.test.ts', resolve('postgres.test.ts'), 2),
    summary(false),
  );
  assert.match(text, /printed by sqlite\.test\.ts:\nopening/);
  assert.doesNotMatch(text, /printed by (?!sqlite)/);
});

test('a file that can not be loaded is shown with the reason that Node printed', async () => {
  const error = Object.assign(new Error('test failed'), {
    cause: 'test failed' as unknown as Error,
    exitCode: 1,
  });
  const file = resolve('sum.test.ts');
  const { text } = await report(
    { type: 'test:stderr', data: { file: 'sum.test.ts', message: 'Cannot find module' } },
    { type: 'test:fail', data: { ...place, file, details: { duration_ms: 1, type: 'test', error } } },
    summary(false),
  );
  assert.match(text, /test failed, exit code 1\n\nprinted by sum\.test\.ts:\nCannot find module/);
});

test('a skipped test fails the run by name', async () => {
  const { passed, text } = await report(
    { type: 'test:pass', data: { ...place, details: { duration_ms: 1, type: 'test' }, skip: true } },
    summary(true, 1),
  );
  assert.equal(passed, false);
  assert.match(text, /two and two make four: skipped/);
});

test('a long run ends with its slowest files and their processor time, before the counts', async () => {
  const files = Array.from({ length: 27 }, (_, index) => `${index === 0 ? 11 : index + 100}.test.ts`);
  const { text } = await report(
    ...files.map((file, index) => complete(file, resolve(file), 1000 * (27 - index))),
    { type: 'test:diagnostic', data: { message: 'tests 27', nesting: 0, level: 'info' } },
    summary(true),
  );
  const named = [...text.matchAll(/^ +([\d.]+) s +([\d.?]+ s {2}.*)$/gm)].map(([, ...parts]) => parts);
  assert.deepEqual(named[0], ['27.0', '2.5 s  11.test.ts']);
  assert.deepEqual(named.at(-1), ['3.0', '? s  124.test.ts']);
  assert.equal(named.length, 25);
  assert.match(text, /slowest files, and their processor time:\n( .*\n)+\nℹ tests 27\n$/);
});
