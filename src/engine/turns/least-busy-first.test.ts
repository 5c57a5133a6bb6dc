import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LeastBusyFirst } from './least-busy-first.ts';

test('the next turn is that of the owner with the fewest in progress, then of the one served longest ago', () => {
  const turns = new LeastBusyFirst();
  const all = ['a', 'b', 'c'];
  const a = turns.begin('a');
  const b = turns.begin('b');
  assert.equal(turns.next(all), 'c');
  const c = turns.begin('c');
  assert.equal(turns.next(all), 'a');
  turns.end(b);
  assert.equal(turns.next(all), 'b');
  turns.end(a);
  turns.end(c);
  assert.equal(turns.next(all), 'a');
  assert.equal(turns.next([]), undefined);
});
