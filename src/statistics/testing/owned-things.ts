import assert from 'node:assert/strict';
import type { MakeOwnedThing, OwnedThing } from '../../server/testing/owned-things.ts';
import type { Answer, RunningServer } from '../../server/testing/running-server.ts';

const at = '2026-03-29T12:00:00+02:00';
const interval = { from: '2026-03-01', to: '2026-03-31' };

/** For every operation of this house whose things belong to somebody: how to make one. */
export const ownedThings: Record<string, MakeOwnedThing> = {
  'statistics.ingest': async (_server, { name }, tag) => ({
    input: { token: `batch${tag}`, events: [eventOf(name)] },
    foreign: ({ body }) => {
      assert.equal(body.accepted, 0);
      assert.match(body.refusals[0].reason, /may not write/);
    },
    own: ({ body }) => assert.equal(body.accepted, 1),
  }),
  'statistics.backfill': counted(({ name }) => ({
    kind: 'keyword',
    user: name,
    day: '2026-03-29',
    events: [eventOf(name)],
  })),
  'statistics.series': counted(({ name }) => ({ kind: 'keyword', user: name, ...interval })),
  'statistics.table': counted(({ name }) => ({ kind: 'keyword', user: name, ...interval })),
  'statistics.explain': counted(({ name }) => ({ kind: 'keyword', user: name, ...interval })),
  'statistics.rpc': counted(({ name }) => ({
    method: 'keyword.filter2',
    parameters: { user: name, ...interval },
  })),
  'statistics.corrections': counted(({ name }) => ({ user: name })),
  'statistics.entity.create': counted(({ name }) => ({ kind: 'keyword', user: name, entity: 99 })),
  'statistics.entity.update': counted(({ name }) => ({ kind: 'keyword', user: name, entity: 17, name: 'a' })),
  'statistics.entity.remove': counted(({ name }) => ({ kind: 'keyword', user: name, entity: 17 })),
  'statistics.entity.ls': counted(({ name }) => ({ kind: 'keyword', user: name })),
};

function eventOf(user: string) {
  return { kind: 'keyword', entity: 17, user, split: 'context', at, clicks: 1 };
}

/** A user with one counted event; others don't learn whether the user has any. */
function counted(input: (owner: { name: string }) => object): MakeOwnedThing {
  return async (server: RunningServer, owner, tag): Promise<OwnedThing> => {
    const batch = { token: `made${tag}`, events: [eventOf(owner.name)] };
    assert.equal((await server.call('statistics.ingest', batch, owner)).status, 200);
    return {
      input: input(owner),
      foreign: (answer: Answer) => assert.equal(answer.status, 404, answer.text),
      own: (answer: Answer) => assert.equal(answer.status, 200, answer.text),
    };
  };
}
