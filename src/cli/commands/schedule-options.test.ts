import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fakeClient, runCommand } from '../testing/run-command.ts';
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

test('the command says when a schedule runs, at a time or after another one', async () => {
  const answer = (when: object, nextAt: number | null) => ({
    'schedule.create': { name: 's', version: 1, nextAt, definition: { ...before, when } },
  });
  const say = async (...words: [when: string, answer: ReturnType<typeof answer>]) => {
    const typed = ['schedule', 'create', 's', '--task', 'tidy', ...words[0].split(' ')];
    return (await runCommand(typed, { client: fakeClient(words[1]) })).stdout;
  };
  assert.equal(
    await say('--after other', answer({ kind: 'after', schedule: 'other' }, null)),
    'schedule s runs after each success of other\n',
  );
  assert.match(await say('--cron @daily', answer(when, 0)), /^schedule s runs next at 1970-01-01/);
});
