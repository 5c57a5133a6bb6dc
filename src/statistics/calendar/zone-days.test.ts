import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { hasCode } from '../../engine/ground/errors.ts';
import { formatDay, parseDay } from './days.ts';
import { zoneDays } from './zone-days.ts';

const prague = zoneDays('Europe/Prague');
const hours = (zone: ReturnType<typeof zoneDays>, text: string) => {
  const day = parseDay(text) ?? assert.fail(text);
  return (zone.start(day + 1) - zone.start(day)) / 3_600_000;
};

test('the day on which clocks change has 23 or 25 hours', () => {
  assert.equal(hours(prague, '2026-03-29'), 23);
  assert.equal(hours(prague, '2026-10-25'), 25);
  assert.equal(hours(prague, '2026-06-01'), 24);
  assert.equal(hours(zoneDays('Australia/Lord_Howe'), '2026-04-05'), 24.5);
});

test('a day begins at its first moment, even where midnight does not exist', () => {
  // In Beirut clocks go from 00:00 to 01:00.
  const beirut = zoneDays('Asia/Beirut');
  assert.equal(hours(beirut, '2022-03-27'), 23);
  const day = parseDay('2022-03-27') ?? 0;
  assert.equal(new Date(beirut.start(day)).toISOString(), '2022-03-26T22:00:00.000Z');
  // Samoa skipped a whole day.
  assert.equal(hours(zoneDays('Pacific/Apia'), '2011-12-30'), 0);
});

test('moments around midnight and the change of clocks belong to the day that the clock on the wall shows', () => {
  const shown = (at: string) => {
    const moment = Date.parse(at);
    const day = prague.dayAt(moment);
    return [formatDay(day), prague.slotAt(moment, day)];
  };
  assert.deepEqual(shown('2026-03-29T01:59:00+01:00'), ['2026-03-29', 3]);
  assert.deepEqual(shown('2026-03-29T03:00:00+02:00'), ['2026-03-29', 4], 'right after 01:59');
  assert.deepEqual(shown('2026-03-29T23:59:59.999+02:00'), ['2026-03-29', 45]);
  assert.deepEqual(shown('2026-10-25T02:30:00+02:00'), ['2026-10-25', 5]);
  assert.deepEqual(shown('2026-10-25T02:30:00+01:00'), ['2026-10-25', 7], 'the second 02:30');
  assert.deepEqual(shown('2026-10-25T23:59:00+01:00'), ['2026-10-25', 49]);
  assert.deepEqual(shown('2026-06-30T23:59:59+02:00'), ['2026-06-30', 47]);
  assert.deepEqual(shown('2026-07-01T00:00:00+02:00'), ['2026-07-01', 0]);
});

test('every moment lies in exactly the day that contains it', () => {
  const zones = ['Europe/Prague', 'America/St_Johns', 'Asia/Kathmandu', 'Pacific/Kiritimati', 'UTC'].map(
    zoneDays,
  );
  const moments = fc.integer({ min: Date.UTC(1995, 0, 1), max: Date.UTC(2040, 0, 1) });
  fc.assert(
    fc.property(moments, fc.constantFrom(...zones), (at, zone) => {
      const day = zone.dayAt(at);
      assert.ok(zone.start(day) <= at && at < zone.start(day + 1));
      const slot = zone.slotAt(at, day);
      assert.ok(slot >= 0 && slot < 50);
    }),
    { numRuns: 300 },
  );
});

test('an unknown time zone is refused with its setting', () => {
  assert.throws(
    () => zoneDays('Europe/Brno'),
    (error) => hasCode(error, 'configuration-invalid') && /Brno.*statistics\.timezone/.test(error.message),
  );
});
