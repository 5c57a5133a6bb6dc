import assert from 'node:assert/strict';
import { test } from 'node:test';
import { balanceOf, firstArrivals, recoveryFrom } from './recovery.ts';
import type { Arrival, Sent } from './work.ts';

const sent = (uuid: string, begunAt: number, confirmedAt: number): Sent => ({ uuid, begunAt, confirmedAt });
const arrival = (uuid: string, at: number, more: Partial<Arrival> = {}): Arrival => ({
  uuid,
  at,
  failed: false,
  redelivered: false,
  ...more,
});

test('an installation has recovered when new work comes out and nothing from before the fault is missing', () => {
  const all = [sent('out', 0, 1), sent('caught', 5, 6), sent('between', 9, 20), sent('new', 30, 31)];
  const fault = 10;
  const recovery = (...arrivals: Arrival[]) => recoveryFrom(fault, all, firstArrivals(arrivals));
  const before = [arrival('out', 4), arrival('between', 40)];
  assert.equal(recovery(...before, arrival('caught', 50)), undefined);
  assert.equal(recovery(...before, arrival('new', 60)), undefined);
  assert.deepEqual(recovery(...before, arrival('new', 60), arrival('caught', 110), arrival('caught', 50)), {
    underWay: 1,
    workGoesOnMs: 50,
    allOutMs: 40,
  });
});

test('the checker tells what is lost, failed, doubled and foreign', () => {
  const all = [sent('a', 0, 1), sent('b', 0, 1), sent('c', 0, 1)];
  const arrivals = [
    arrival('a', 1),
    arrival('a', 2),
    arrival('a', 3, { redelivered: true }),
    arrival('b', 4, { failed: true }),
    arrival('x', 5),
  ];
  assert.deepEqual(balanceOf(all, arrivals), {
    sent: 3,
    arrived: 5,
    lost: 1,
    failed: 1,
    duplicates: 2,
    redelivered: 1,
    foreign: 1,
  });
});
