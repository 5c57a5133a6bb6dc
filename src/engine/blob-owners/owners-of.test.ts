import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bothDatabases } from '../testing/both-databases.ts';
import { systemClock } from '../time/clock.ts';
import { disownOne, own } from './blob-owners.ts';
import { isOwnedBy, ownersOf } from './owners-of.ts';

const [one, other] = ['1'.repeat(64), '2'.repeat(64)];

for (const { name, open } of await bothDatabases()) {
  test(`${name}: a house can list the owners of a blob, and disown one blob of one owner`, async (t) => {
    const { query } = (await open(t, systemClock)).database;
    const ids = async (prefix: string) =>
      (await ownersOf(query, one, prefix).execute()).map(({ id }) => id).sort();
    for (const owner of ['letter:1', 'letter:ž2', 'letter', 'letters:3', 'le_ter:4'])
      await own(query, one, owner, 0);
    await own(query, other, 'letter:5', 0);
    assert.deepEqual(await ids('letter:'), ['1', 'ž2']);
    assert.deepEqual(await ids('le_ter:'), ['4'], 'an underscore stands for itself');
    assert.deepEqual(await ids('page:'), []);
    assert.equal(await isOwnedBy(query, one, 'letter:1'), true);
    await disownOne(query, one, 'letter:1');
    assert.equal(await isOwnedBy(query, one, 'letter:1'), false);
    assert.deepEqual(await ids('letter:'), ['ž2']);
    assert.equal(await isOwnedBy(query, other, 'letter:5'), true);
  });
}
