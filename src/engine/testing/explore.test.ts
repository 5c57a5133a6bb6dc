import assert from 'node:assert/strict';
import { test } from 'node:test';
import { explore, type Model } from './explore.ts';

/** Two processes each read a counter and write it back plus one: the oldest of all races. */
interface Counter {
  value: number;
  read: (number | null)[];
  done: number;
}

function counting(atOnce: boolean): Model<Counter> {
  return {
    initial: { value: 0, read: [null, null], done: 0 },
    *steps(state) {
      for (const [who, read] of state.read.entries()) {
        const others = state.read.some((other, index) => index !== who && other !== null);
        if (read === null && state.done < 2 && (atOnce || !others))
          yield [`${who} reads`, { ...state, read: state.read.with(who, state.value) }];
        if (read !== null)
          yield [
            `${who} writes`,
            { value: read + 1, read: state.read.with(who, null), done: state.done + 1 },
          ];
      }
    },
    wrong: ({ value, done }) => (value < done ? `${done} were counted as ${value}` : undefined),
  };
}

test('the shortest way to something wrong is found', () => {
  const { flaw } = explore(counting(true));
  assert.deepEqual(flaw, {
    why: '2 were counted as 1',
    way: ['0 reads', '1 reads', '0 writes', '1 writes'],
  });
});

test('when nothing can go wrong, every state has been seen once', () => {
  assert.deepEqual(explore(counting(false)), { states: 7, steps: 8, flaw: undefined });
});

test('a model that never ends is refused', () => {
  const endless: Model<number> = {
    initial: 0,
    steps: (state) => [['more', state + 1]],
    wrong: () => undefined,
  };
  assert.throws(() => explore(endless, 100), /more than 100 states/);
});
