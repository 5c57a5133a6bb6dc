import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../../engine/testing/eventually.ts';
import { ManualClock } from '../../engine/time/clock.ts';
import { parseHours, SendingHours } from '../model/sending-hours.ts';
import { serveInHours } from './serve-in-hours.ts';

const at = (text: string) => Date.parse(`${text}+01:00`);

test('mails leave in their sending hours only: on these days, in this time zone, also past midnight', () => {
  const office = new SendingHours(['mon-fri 08:00-18:00', 'sat 22:00-02:00'], 'Europe/Prague');
  // 16 November 2026 is a Monday.
  assert.equal(office.isOpen(at('2026-11-16T07:59:59')), false);
  assert.equal(office.isOpen(at('2026-11-16T08:00:00')), true);
  assert.equal(office.isOpen(at('2026-11-16T18:00:00')), false);
  assert.equal(office.isOpen(at('2026-11-21T12:00:00')), false);
  assert.equal(office.isOpen(at('2026-11-21T23:00:00')), true);
  assert.equal(office.isOpen(at('2026-11-22T01:59:00')), true);
  assert.equal(office.isOpen(at('2026-11-22T02:00:00')), false);
  assert.equal(office.opensAt(at('2026-11-16T12:00:00')), null);
  assert.equal(office.opensAt(at('2026-11-16T20:30:30')), at('2026-11-17T08:00:00'));
  assert.equal(office.opensAt(at('2026-11-22T03:00:00')), at('2026-11-23T08:00:00'));
  // Clocks went back on 25 October, in the night to Sunday: 8 o'clock is an hour later.
  const daily = new SendingHours(['08:00-20:00'], 'Europe/Prague');
  assert.equal(daily.opensAt(Date.parse('2026-10-24T21:00:00+02:00')), at('2026-10-25T08:00:00'));
  assert.equal(new SendingHours([], '').opensAt(0), null);
});

test('sending hours that make no sense are refused with an example', () => {
  for (const wrong of ['8-20', 'mon 08:00', '25:00-26:00', '08:60-09:00', 'xyz 08:00-09:00', '08:00-08:00'])
    assert.throws(() => parseHours(wrong), /are not sending hours; write them like/, wrong);
});

test('a queue is served during its hours, left alone outside them, and served again on the next day', async () => {
  const clock = new ManualClock(at('2026-11-16T17:59:50'));
  const hours = new SendingHours(['08:00-18:00'], 'Europe/Prague');
  const served: string[] = [];
  const onError = (error: unknown) => served.push(String(error));
  const running = await serveInHours({ clock, hours, onError }, async () => {
    served.push('begins');
    return { close: async () => void served.push('ends') };
  });
  assert.deepEqual(served, ['begins']);
  const passes = async (ms: number, count: number) => {
    clock.advance(ms);
    await eventually('the hour is noticed', () => {
      clock.advance(1000);
      return served.length === count;
    });
  };
  await passes(20_000, 2);
  await passes(14 * 3_600_000, 3);
  await running.close();
  assert.deepEqual(served, ['begins', 'ends', 'begins', 'ends']);
});
