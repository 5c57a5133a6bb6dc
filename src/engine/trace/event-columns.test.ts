import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { packEvents, unpackEvents } from './event-columns.ts';

const name = fc.string({ minLength: 1, maxLength: 5 }).filter((text) => text !== '__proto__');
const value = fc.oneof(fc.string(), fc.integer());
const event = fc.record(
  {
    kind: name,
    entity: fc.string(),
    at: fc.nat(),
    dimensions: fc.dictionary(name, value, { noNullPrototype: true }),
  },
  { noNullPrototype: true },
);

test('packed events come back unchanged, kind by kind', () => {
  fc.assert(
    fc.property(fc.array(event), fc.nat(), (events, since) => {
      const back = unpackEvents(packEvents(events, since), since);
      const byKind = (all: typeof events) => Object.groupBy(all, ({ kind }) => kind);
      assert.deepEqual({ ...byKind(back) }, { ...byKind(events) });
    }),
  );
});
