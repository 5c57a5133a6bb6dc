import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { type Owner, WeightedTurns } from './weighted-turns.ts';

function owner(name: string, weight = 1): Owner {
  return { name, weight };
}

/** Takes turns and uses them all. */
function take(turns: WeightedTurns, owners: Owner[], count: number): string[] {
  const planned = turns.plan(owners, count);
  for (const each of owners) turns.charge(each, planned.filter((name) => name === each.name).length);
  return planned;
}

test('equal owners take turns', () => {
  const turns = new WeightedTurns();
  assert.deepEqual(take(turns, [owner('a'), owner('b'), owner('c')], 7), ['a', 'b', 'c', 'a', 'b', 'c', 'a']);
  assert.deepEqual(take(turns, [owner('a'), owner('b'), owner('c')], 2), ['b', 'c']);
});

test('twice the weight is twice the turns', () => {
  const names = take(new WeightedTurns(), [owner('a', 2), owner('b', 1)], 30);
  assert.equal(names.filter((name) => name === 'a').length, 20);
});

test('planned but unused turns are not charged', () => {
  const turns = new WeightedTurns();
  assert.equal(turns.plan([owner('a'), owner('b')], 1)[0], 'a');
  assert.equal(turns.plan([owner('a'), owner('b')], 1)[0], 'a');
});

test('an absent owner saves up no turns, and a new owner need not wait for others to catch up', () => {
  const turns = new WeightedTurns();
  take(turns, [owner('a')], 1000);
  const names = take(turns, [owner('a'), owner('late')], 10);
  assert.equal(names.filter((name) => name === 'late').length, 5);
});

test('a light owner gains nothing by leaving and returning', () => {
  const turns = new WeightedTurns();
  let light = 0;
  for (let round = 0; round < 1000; round++) {
    const here = round % 2 === 0 ? [owner('a'), owner('light', 0.01)] : [owner('a')];
    light += take(turns, here, 1).filter((name) => name === 'light').length;
  }
  assert.ok(light <= 11, `${light} turns of 1000 at a weight of 0.01`);
});

test('for any weights and batch sizes, no owner falls a whole turn behind its share', () => {
  const weights = fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(
      weights,
      fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 30 }),
      (shares, rounds) => {
        const owners = shares.map((weight, index) => owner(`o${index}`, weight));
        const turns = new WeightedTurns();
        const taken = rounds.flatMap((count) => take(turns, owners, count));
        const total = shares.reduce((sum, weight) => sum + weight, 0);
        for (const { name, weight } of owners) {
          const due = (taken.length * weight) / total;
          const got = taken.filter((each) => each === name).length;
          assert.ok(got > due - 1 - 1e-6, `${name} got ${got} of ${due}`);
        }
      },
    ),
  );
});
