import assert from 'node:assert/strict';
import { test } from 'node:test';
import { explore } from '../../../testing/explore.ts';
import type { ElectionFlaw } from './election-model.ts';
import { electionModel } from './election-steps.ts';

const small = { candidates: 3, sessions: 4, fences: 2, writes: 2 };

test('three candidates: no write of a deposed leader is accepted, however late news and writes arrive', (t) => {
  const { states, steps, flaw } = explore(electionModel(small));
  assert.equal(flaw, undefined);
  t.diagnostic(`${states} states, ${steps} steps`);
});

test('two candidates may believe they lead at once, and the fence tells them apart', () => {
  const model = electionModel(small);
  const { flaw } = explore({
    ...model,
    wrong: ({ candidates }) =>
      candidates.filter(({ leads }) => leads > 0).length > 1 ? 'two believe they lead' : undefined,
  });
  assert.equal(flaw?.why, 'two believe they lead');
});

const flaws: Record<ElectionFlaw, RegExp> = {
  'writes are not checked': /without holding/,
  'a live session is enough to write': /without holding/,
  'fences restart from zero after a restart': /given twice/,
  'an old hold can release a new one': /taken from its holder/,
  'an expired session keeps its hold': /ended session/,
};
for (const [name, expected] of Object.entries(flaws) as [ElectionFlaw, RegExp][]) {
  test(`the model check fails if ${name}`, () => {
    const { flaw } = explore(electionModel(small, name));
    assert.match(flaw?.why ?? '', expected);
  });
}
