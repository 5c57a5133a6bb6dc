import fc from 'fast-check';
import type { Snapshot, StageSnapshot, WorkerSnapshot } from '../watchdog/policy.ts';

/** Snapshots for policies: handmade and arbitrary ones. */

export const at = 1_700_000_000_000;

export function stage(name: string, fields: Partial<StageSnapshot> = {}): StageSnapshot {
  const defaults = {
    priority: 0,
    labels: [],
    length: 0,
    inFlight: 0,
    paused: false,
    averageMs: 1000,
    waitingSince: null,
  };
  return { name, ...defaults, ...fields };
}

export function worker(id: string, fields: Partial<WorkerSnapshot> = {}): WorkerSnapshot {
  const defaults = {
    labels: [],
    stage: null,
    alive: true,
    enabled: true,
    pinned: false,
    failed: false,
    unlockAt: 0,
    inFlight: 0,
  };
  return { id, ...defaults, ...fields };
}

const names = ['a', 'b', 'c', 'd', 'e'];
const labels = fc.subarray(['gpu', 'large']);
const milliseconds = fc.integer({ min: 0, max: 60_000 });

const stages = fc.uniqueArray(
  fc.record({
    name: fc.constantFrom(...names),
    priority: fc.constantFrom(-1, 0, 0, 0, 0.5, 3),
    labels,
    length: fc.oneof(fc.nat(5), fc.nat(1000)),
    inFlight: fc.nat(3),
    paused: fc.boolean(),
    averageMs: fc.option(milliseconds),
    waitingSince: fc.option(fc.integer({ min: at - 1_000_000, max: at + 1000 })),
    next: fc.dictionary(fc.constantFrom(...names, 'gone'), fc.constantFrom(0.1, 0.5, 1), {
      maxKeys: 2,
      noNullPrototype: true,
    }),
  }),
  { selector: (each) => each.name },
);

const workers = fc.uniqueArray(
  fc.record(
    {
      id: fc.string({ minLength: 1, maxLength: 3 }),
      labels,
      stage: fc.option(fc.constantFrom(...names, 'gone')),
      alive: fc.constantFrom(true, true, true, false),
      enabled: fc.constantFrom(true, true, true, false),
      pinned: fc.constantFrom(false, false, false, true),
      failed: fc.constantFrom(false, false, false, true),
      unlockAt: fc.constantFrom(0, at, at + 1),
      inFlight: fc.nat(1),
      unable: fc.subarray(names, { maxLength: 2 }),
      serving: fc.option(fc.constantFrom(...names, 'gone')),
      busyMs: milliseconds,
      loaded: fc.subarray(names),
      coldMs: fc.option(milliseconds),
      warmMs: fc.option(milliseconds),
    },
    {
      noNullPrototype: true,
      requiredKeys: ['id', 'labels', 'stage', 'alive', 'enabled', 'pinned', 'failed', 'unlockAt', 'inFlight'],
    },
  ),
  { selector: (each) => each.id, maxLength: 12 },
);

export const snapshots: fc.Arbitrary<Snapshot> = fc.record({ at: fc.constant(at), stages, workers });
