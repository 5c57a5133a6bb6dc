import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pino } from 'pino';
import { ManualClock } from '../time/clock.ts';
import { QuietWarnings } from './quiet-warnings.ts';

test('a warning that repeats is logged once a minute, each kind for itself, and its end is told', () => {
  const lines: string[] = [];
  const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line).msg) });
  const clock = new ManualClock();
  const warnings = new QuietWarnings(log, clock);
  warnings.end();
  for (let second = 0; second < 90; second++) {
    warnings.warn('no answer', new Error(`try ${second}`));
    if (second === 10) warnings.warn('no session', new Error('gone'));
    clock.advance(1000);
  }
  assert.deepEqual(lines, ['no answer', 'no session', 'no answer']);
  warnings.end();
  warnings.end();
  warnings.warn('no answer', new Error('again'));
  assert.deepEqual(lines.slice(3), ['all is well again', 'no answer']);
});
