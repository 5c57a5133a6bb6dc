import assert from 'node:assert/strict';
import { test } from 'node:test';
import { explore } from '../../../testing/explore.ts';
import type { LeaseFlaw } from './lease-model.ts';
import { leaseModel } from './lease-steps.ts';

const small = { lanes: ['normal', 'high'], consumers: 2, starts: 1, leases: 3 } as const;

test('two messages and two consumers: no order of steps and failures loses, duplicates or miscounts a message', (t) => {
  const { states, steps, flaw } = explore(leaseModel(small));
  assert.equal(flaw, undefined);
  t.diagnostic(`${states} states, ${steps} steps`);
});

test('one message redelivered under many leases is never lost, duplicated or miscounted', (t) => {
  const { states, steps, flaw } = explore(
    leaseModel({ lanes: ['normal'], consumers: 2, starts: 2, leases: 4 }),
  );
  assert.equal(flaw, undefined);
  t.diagnostic(`${states} states, ${steps} steps`);
});

const flaws: Record<LeaseFlaw, RegExp> = {
  'any consumer can settle': /another consumer|did not hold it/,
  'lapsed leases are rescued before they are swept': /from \d, which is alive/,
  'lease numbers are reused': /held twice/,
  'a claim is charged': /not started/,
  'normal messages come first': /overtook/,
  'only started messages are rescued': /lost/,
  'a rescue forgets the attempts': /forgotten/,
};
for (const [name, expected] of Object.entries(flaws) as [LeaseFlaw, RegExp][]) {
  test(`the model check fails if ${name}`, () => {
    const { flaw } = explore(leaseModel({ ...small, starts: 2, leases: 4 }, name));
    assert.match(flaw?.why ?? '', expected);
  });
}
