import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changedSchedule } from './schedule-options.ts';

const when = { kind: 'cron', cron: '0 3 * * *', timezone: 'Europe/Prague' } as const;
const before = { when, action: { kind: 'task', task: 'tidy', parameters: { a: 1 } } } as const;

test('a change keeps what it does not name', () => {
  assert.deepEqual(changedSchedule(before, { cron: '@daily' }), {
    ...before,
    when: { ...when, cron: '@daily' },
  });
  assert.deepEqual(changedSchedule(before, { timezone: 'UTC' }), {
    ...before,
    when: { ...when, timezone: 'UTC' },
  });
  assert.deepEqual(changedSchedule(before, { after: 'other' }).when, { kind: 'after', schedule: 'other' });
  assert.deepEqual(changedSchedule(before, { parameters: { b: 2 } }), {
    ...before,
    action: { ...before.action, parameters: { b: 2 } },
  });
  assert.deepEqual(changedSchedule(before, { pipeline: 'pages' }), {
    ...before,
    action: { kind: 'publish', pipeline: 'pages' },
  });
});

test('options that do not fit together are refused', () => {
  const after = { ...before, when: { kind: 'after', schedule: 'x' } } as const;
  assert.throws(() => changedSchedule(after, { timezone: 'UTC' }), /belongs to --cron/);
  assert.throws(() => changedSchedule(before, { cron: '@daily', after: 'x' }), /only one of/);
  const publish = { ...before, action: { kind: 'publish', pipeline: 'p' } } as const;
  assert.throws(() => changedSchedule(publish, { parameters: {} }), /belong to --task/);
});
