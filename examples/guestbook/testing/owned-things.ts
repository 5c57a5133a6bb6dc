import assert from 'node:assert/strict';
import type { MakeOwnedThing } from '../../../src/server/testing/owned-things.ts';
import { entryQueries } from '../tables.ts';

/** For every operation of this house whose things belong to somebody: how to make one. */
export const ownedThings: Record<string, MakeOwnedThing> = {
  'guestbook.sign': async ({ engine }) => ({
    input: { text: 'Hello' },
    async own({ body }) {
      const entries = await entryQueries(engine)
        .selectFrom('guestbook_entry')
        .select(['id', 'owner'])
        .execute();
      const owners = new Map(entries.map(({ id, owner }) => [id, owner]));
      assert.match(owners.get(body.id) ?? '', /^anna/, 'an entry belongs to who signed');
    },
  }),
};
