import assert from 'node:assert/strict';
import { test } from 'node:test';
import { explore } from '../../testing/explore.ts';
import { type OutboxFlaw, outboxModel } from './outbox-model.ts';

const small = { transactions: [['a1', 'a2'], ['b1']], publishers: 2, published: 5 };

test('whoever dies between whichever two steps, what is committed is published under its id, and nothing else is', (t) => {
  const { states, steps, flaw } = explore(outboxModel(small));
  assert.equal(flaw, undefined);
  t.diagnostic(`${states} states, ${steps} steps`);
});

const flaws: Record<OutboxFlaw, RegExp> = {
  'messages are published before the commit': /for nothing/,
  'rows are deleted before they are published': /lost/,
  'state and messages are committed one after the other': /lost/,
  'a message gets another id each time': /nobody's id/,
  'the next message goes out although one was refused': /out of order/,
};
for (const [name, expected] of Object.entries(flaws) as [OutboxFlaw, RegExp][]) {
  test(`the check would find it if ${name}`, () => {
    const { flaw } = explore(outboxModel(small, name));
    assert.match(flaw?.why ?? '', expected);
  });
}
