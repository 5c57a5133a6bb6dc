import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { test } from 'node:test';
import fc from 'fast-check';
import { temporaryDirectory } from '../../engine/testing/temporary-directory.ts';
import { keyDigits, PeopleOnDisk } from './people-on-disk.ts';

const key = (person: number) => hash('sha256', `${person}`, 'hex').slice(0, keyDigits);

test('each person is new once, through every growth of the table; the file is gone even while it is used', async (t) => {
  const directory = await temporaryDirectory(t);
  const people = new PeopleOnDisk(directory);
  t.after(() => people.close());
  for (let person = 0; person < 50_000; person++) assert.equal(people.add(key(person)), true);
  for (let person = 0; person < 50_000; person += 7) assert.equal(people.add(key(person)), false);
  assert.deepEqual(readdirSync(directory), []);
});

test('property: it says what a set in memory says, for keys that differ in one digit too', () => {
  const digits = fc
    .array(fc.constantFrom(...'0f'), { minLength: keyDigits, maxLength: keyDigits })
    .map((all) => all.join(''));
  fc.assert(
    fc.property(fc.array(digits, { maxLength: 400 }), (keys) => {
      const people = new PeopleOnDisk();
      try {
        const known = new Set<string>();
        for (const one of keys) {
          assert.equal(people.add(one), !known.has(one));
          known.add(one);
        }
      } finally {
        people.close();
      }
    }),
  );
});
