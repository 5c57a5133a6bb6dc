import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { Agenda } from './agenda.ts';

test('entries happen in order of time, then of rank, then as added', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(20), fc.nat(3))), (entries) => {
      const agenda = new Agenda<number>();
      for (const [index, [at, rank]] of entries.entries()) agenda.add(at, rank, index);
      const happened: number[] = [];
      for (let next = agenda.next(); next; next = agenda.next()) {
        assert.equal(next.at, entries[next.what]?.[0]);
        happened.push(next.what);
      }
      const sorted = entries
        .map(([at, rank], index) => ({ at, rank, index }))
        .sort((a, b) => a.at - b.at || a.rank - b.rank || a.index - b.index);
      assert.deepEqual(
        happened,
        sorted.map(({ index }) => index),
      );
    }),
  );
});

test('an entry added meanwhile takes its place in the order', () => {
  const agenda = new Agenda<string>();
  agenda.add(1, 0, 'first');
  agenda.add(3, 0, 'third');
  assert.equal(agenda.next()?.what, 'first');
  agenda.add(2, 0, 'second');
  assert.deepEqual([agenda.next()?.what, agenda.next()?.what, agenda.next()], ['second', 'third', undefined]);
});
