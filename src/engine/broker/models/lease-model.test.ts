import assert from 'node:assert/strict';
import { test } from 'node:test';
import { explore } from '../../testing/explore.ts';
import type { LeaseFlaw } from './lease-model.ts';
import { leaseModel } from './lease-steps.ts';

const small = { lanes: ['normal', 'high'], consumers: 2, starts: 1, leases: 3 } as const;

test('whatever two consumers do and suffer in whatever order, two messages are never lost, doubled or miscounted', (t) => {
  const { states, steps, flaw } = explore(leaseModel(small));
  assert.equal(flaw, undefined);
  t.diagnostic(`${states} states, ${steps} steps`);
});

test('one message that comes again and again, under many leases, is never lost, doubled or miscounted', (t) => {
  const { states, steps, flaw } = explore(
    leaseModel({ lanes: ['normal'], consumers: 2, starts: 2, leases: 4 }),
  );
  assert.equal(flaw, undefined);
  t.diagnostic(`${states} states, ${steps} steps`);
});

const flaws: Record<LeaseFlaw, RegExp> = {
  'anybody settles': /another's|nobody who had it/,
  'the lapsed are rescued before they are swept': /from \d, who lives/,
  'numbers of leases come again': /held twice/,
  'a claim is charged': /not started/,
  'normal ones come first': /overtook/,
  'only what was started is rescued': /lost/,
  'a rescue forgets the attempts': /forgotten/,
};
for (const [name, expected] of Object.entries(flaws) as [LeaseFlaw, RegExp][]) {
  test(`the check would find it if ${name}`, () => {
    const { flaw } = explore(leaseModel({ ...small, starts: 2, leases: 4 }, name));
    assert.match(flaw?.why ?? '', expected);
  });
}
