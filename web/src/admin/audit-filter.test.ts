import assert from 'node:assert/strict';
import { test } from 'node:test';
import { filterOf, inputInWords, inputOf, startOfDay } from './audit-filter.ts';

const dayIn = (timeZone: string) => {
  const format = new Intl.DateTimeFormat('en-CA', { timeZone, dateStyle: 'short' });
  return (at: number) => format.format(at);
};

test('a filter asks for whole days, the last one included', () => {
  const filter = filterOf(new URLSearchParams('actor=anna&from=2026-03-18&to=2026-03-18'));
  const input = inputOf(filter, (day) => startOfDay(day, dayIn('UTC')));
  assert.deepEqual(input, { actor: 'anna', from: Date.UTC(2026, 2, 18), to: Date.UTC(2026, 2, 19) });
  assert.deepEqual(
    inputOf(filterOf(new URLSearchParams()), () => 0),
    {},
  );
});

test('a day begins when it begins for the person, also where clocks change', () => {
  assert.equal(startOfDay('2026-03-29', dayIn('Europe/Prague')), Date.UTC(2026, 2, 28, 23));
  assert.equal(startOfDay('2026-03-30', dayIn('Europe/Prague')), Date.UTC(2026, 2, 29, 22));
  assert.equal(startOfDay('2026-01-01', dayIn('Pacific/Kiritimati')), Date.UTC(2025, 11, 31, 10));
  assert.equal(startOfDay('2026-01-01', dayIn('Pacific/Pago_Pago')), Date.UTC(2026, 0, 1, 11));
});

test('an input is one line of names and values', () => {
  assert.equal(
    inputInWords({ name: 'anna', keep: ['mail'], role: 'reader' }),
    'name anna, keep ["mail"], role reader',
  );
  assert.equal(inputInWords({}), '');
  assert.equal(inputInWords(null), '');
});
