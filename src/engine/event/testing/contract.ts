import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { eventually } from '../../testing/eventually.ts';
import { type Change, type ChangeLog, keptChanges } from '../change-log.ts';

/** Opens the list of one installation as each of its processes does. */
export type OpenChanges = () => Promise<ChangeLog>;

/** Tests what every list of changes must do. `create` makes an empty list for one test. */
export function changeLogContract(kind: string, create: (test: TestContext) => Promise<OpenChanges>): void {
  const claim = (what: string, check: (here: ChangeLog, there: ChangeLog) => Promise<void>): void => {
    test(what, async (context) => {
      const open = await create(context);
      await check(await open(), await open());
    });
  };

  describe(`Changes: ${kind}`, () => {
    claim('everyone hears of every change, in one order, with numbers that grow', async (here, there) => {
      const [heardHere, heardThere] = [listen(here), listen(there)];
      for (let round = 0; round < 20; round++) {
        here.add({ kind: 'stage', entity: `here ${round}`, data: { text: 'a\0b \ud800' } });
        there.add({ kind: 'stage', entity: `there ${round}`, owner: 'anna' });
        if (round % 5 === 0) await eventually('some have come', () => heardHere.length > round);
      }
      await eventually('all have come', () => heardHere.length === 40 && heardThere.length === 40);
      assert.deepEqual(heardThere, heardHere);
      const ids = heardHere.map(({ id }) => Number(id));
      assert.deepEqual(
        ids,
        ids.toSorted((a, b) => a - b),
      );
      assert.equal(new Set(ids).size, 40);
      assert.equal(new Set(heardHere.map(({ entity }) => entity)).size, 40);
      const [first] = heardHere.filter(({ owner }) => owner === 'anna');
      assert.deepEqual([first?.kind, first?.entity], ['stage', 'there 0']);
      assert.ok(first && Math.abs(first.at - Date.now()) < 600_000);
    });

    claim(
      'who comes back with the last number gets what it missed, from any process',
      async (here, there) => {
        const heard = listen(here);
        for (const entity of ['one', 'two', 'three']) here.add({ kind: 'stage', entity });
        await eventually('all have come', () => heard.length === 3);
        const id = Number(heard[0]?.id);
        await there.reach(here.lastId);
        assert.deepEqual(
          there.since(id)?.map(({ entity }) => entity),
          ['two', 'three'],
        );
        assert.deepEqual(there.since(here.lastId), []);
      },
    );

    claim('who comes back with a number of another list must read everything again', async (here) => {
      const heard = listen(here);
      here.add({ kind: 'stage', entity: 'one' });
      await eventually('it has come', () => heard.length === 1);
      await here.reach(here.lastId + 1);
      assert.equal(here.since(here.lastId + 1), undefined);
      assert.equal(here.since(1), undefined);
    });

    claim('who was away for too long must read everything again', async (here, there) => {
      const heard = listen(here);
      here.add({ kind: 'stage', entity: 'first' });
      await eventually('it has come', () => heard.length === 1);
      const start = here.lastId;
      for (let round = 0; round < 9; round++) {
        const before = heard.length;
        for (let count = 0; count < 1000; count++) there.add({ kind: 'stage', entity: 'busy' });
        await eventually('they have come', () => heard.length === before + 1000);
      }
      assert.ok(9000 > keptChanges * 1.5);
      assert.equal(here.since(start), undefined);
      assert.deepEqual(here.since(here.lastId), []);
    });

    claim(
      'of many changes of one thing a few are told, the first at once and always the last',
      async (here) => {
        const heard = listen(here);
        here.addJoined({ kind: 'document', entity: 'one', data: { sent: 0 } });
        await eventually('the first has come', () => heard.length === 1);
        for (let sent = 1; sent <= 100; sent++)
          here.addJoined({ kind: 'document', entity: 'one', data: { sent } });
        here.addJoined({ kind: 'document', entity: 'other' });
        await eventually('the last has come', () => heard.some(({ data }) => data?.sent === 100));
        assert.ok(heard.length <= 4, `${heard.length}`);
      },
    );
  });
}

export function listen(log: ChangeLog): Change[] {
  const heard: Change[] = [];
  log.subscribe(() => {
    throw new Error('a broken listener');
  });
  log.subscribe((change) => heard.push(change));
  return heard;
}
