import assert from 'node:assert/strict';
import { test } from 'node:test';
import { explore } from '../../../testing/explore.ts';
import { type OutboxFlaw, outboxModel } from './outbox-model.ts';

const small = { transactions: [['a1', 'a2'], ['b1']], publishers: 2, published: 5 };

test('wherever writers and publishers die, committed messages are published under their ids, and nothing else is', (t) => {
  const { states, steps, flaw } = explore(outboxModel(small));
  assert.equal(flaw, undefined);
  t.diagnostic(`${states} states, ${steps} steps`);
});

const flaws: Record<OutboxFlaw, RegExp> = {
  'messages are published before the commit': /for nothing/,
  'rows are deleted before they are published': /lost/,
  'state and messages are committed one after the other': /lost/,
  'a message gets another id each time': /unknown id/,
  'the next message goes out although one was refused': /out of order/,
};
for (const [name, expected] of Object.entries(flaws) as [OutboxFlaw, RegExp][]) {
  test(`the model check fails if ${name}`, () => {
    const { flaw } = explore(outboxModel(small, name));
    assert.match(flaw?.why ?? '', expected);
  });
}
