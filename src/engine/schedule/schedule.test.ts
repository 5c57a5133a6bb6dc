import assert from 'node:assert/strict';
import test from 'node:test';
import { nextTick, type ScheduleInput, scheduleDefinition } from './schedule.ts';

const action = { kind: 'task', task: 'nothing' } as const;

function next(when: ScheduleInput['when'], after: string): string | undefined {
  const tick = nextTick(scheduleDefinition.parse({ when, action }), Date.parse(after));
  return tick === undefined ? undefined : new Date(tick).toISOString();
}

test('the next tick comes strictly after the given moment', () => {
  const hourly = { kind: 'cron', cron: '0 * * * *' } as const;
  assert.equal(next(hourly, '2026-01-01T10:59:59.999Z'), '2026-01-01T11:00:00.000Z');
  assert.equal(next(hourly, '2026-01-01T11:00:00.000Z'), '2026-01-01T12:00:00.000Z');
  assert.equal(next(hourly, '2026-01-01T11:00:00.003Z'), '2026-01-01T12:00:00.000Z');
});

test('times of day follow the time zone, including summer time', () => {
  const nightly = { kind: 'cron', cron: '30 3 * * *', timezone: 'Europe/Prague' } as const;
  assert.equal(next(nightly, '2026-01-10T00:00:00Z'), '2026-01-10T02:30:00.000Z');
  assert.equal(next(nightly, '2026-07-10T00:00:00Z'), '2026-07-10T01:30:00.000Z');
});

test('seconds, nicknames and single moments are understood', () => {
  assert.equal(
    next({ kind: 'cron', cron: '*/10 * * * * *' }, '2026-01-01T00:00:01Z'),
    '2026-01-01T00:00:10.000Z',
  );
  assert.equal(next({ kind: 'cron', cron: '@daily' }, '2026-01-01T00:00:01Z'), '2026-01-02T00:00:00.000Z');
  assert.equal(next({ kind: 'cron', cron: '2020-01-01T00:00:00' }, '2026-01-01T00:00:01Z'), undefined);
});

test('a schedule that follows another has no time of its own', () => {
  assert.equal(next({ kind: 'after', schedule: 'nightly' }, '2026-01-01T00:00:00Z'), undefined);
});

test('invalid times and ambiguous actions are refused with a reason', () => {
  const refuse = (input: unknown, reason: RegExp) => {
    const result = scheduleDefinition.safeParse(input);
    assert.match(result.error?.message ?? 'accepted', reason);
  };
  refuse({ when: { kind: 'cron', cron: '99 * * * *' }, action }, /not a valid time/);
  refuse({ when: { kind: 'cron', cron: '0 * * * *', timezone: 'Mars/Olympus' }, action }, /not a valid time/);
  const when = { kind: 'cron', cron: '0 * * * *' };
  refuse({ when, action: { kind: 'publish' } }, /either a pipeline or stages/);
  refuse(
    { when, action: { kind: 'publish', pipeline: 'p', stages: ['a', 'b'] } },
    /either a pipeline or stages/,
  );
});
