import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { hasCode } from '../../../engine/ground/errors.ts';
import { SumTable } from '../../columns/sum-table.ts';
import { blocksByChunk } from '../../ingest/cube-builder.ts';
import type { PreparedBatch, StatisticsStore } from '../store.ts';

const kind = 'keyword';

/** A batch that counts one click of each key on each day. */
function batchOf(
  token: string,
  keys: string[],
  days: number[],
  more: Partial<PreparedBatch> = {},
): PreparedBatch {
  const table = new SumTable(1);
  for (const [index] of keys.entries()) table.add(table.place(0, 3, index), 0, 1);
  return {
    owner: 'anna',
    token,
    hash: 'content',
    receivedAt: 1,
    events: keys.length,
    refused: 0,
    corrections: [],
    closed: new Set<number>(),
    cubes: [
      {
        kind,
        user: '3',
        keys,
        days: days.map((day) => ({
          day,
          events: keys.length,
          mayBeSealed: false,
          blocks: (ordinals: readonly number[]) => blocksByChunk(table, 1, ordinals),
        })),
      },
    ],
    ...more,
  };
}

function unit(bucket: number, replaces: number, clicks: number) {
  const table = new SumTable(1);
  table.add(table.place(0, 0, 0), 0, clicks);
  return { level: 'day' as const, bucket, chunk: 0, upTo: 1, replaces, block: table.toBlock({ splits: 1 }) };
}

/** What every store of statistics promises. */
export function storeContract(name: string, open: (t: TestContext) => Promise<StatisticsStore>): void {
  const headOf = async (store: StatisticsStore) => (await store.head(kind, '3')) ?? assert.fail('no cube');

  describe(`the store of statistics on ${name}`, () => {
    test('a batch is taken once per token and owner, and other content is told apart', async (t) => {
      const store = await open(t);
      assert.equal((await store.accept(batchOf('a', ['17'], [100]))).outcome, 'accepted');
      assert.equal((await store.accept(batchOf('a', ['17'], [100]))).outcome, 'duplicate');
      assert.equal((await store.accept(batchOf('a', ['17'], [100], { hash: 'other' }))).outcome, 'mismatch');
      assert.equal((await store.accept(batchOf('a', ['17'], [100], { owner: 'otto' }))).outcome, 'accepted');
      assert.equal((await headOf(store)).seq, 2);
    });

    test('one batch sent several times at once is taken once', async (t) => {
      const store = await open(t);
      const answers = await Promise.all(
        Array.from({ length: 5 }, () => store.accept(batchOf('a', ['17', '18'], [100]))),
      );
      const outcomes = answers.map(({ outcome }) => outcome).sort();
      assert.deepEqual(outcomes, ['accepted', ...Array.from({ length: 4 }, () => 'duplicate')]);
      assert.equal((await headOf(store)).seq, 1);
    });

    test('a batch beyond a limit is refused as a whole, and may come again when the limit is raised', async (t) => {
      const store = await open(t);
      const limits = (entities: number, eventsPerMonth: number) => ({ limits: { entities, eventsPerMonth } });
      const refused = (error: unknown) => hasCode(error, 'quota-exceeded');
      await store.accept(batchOf('a', ['17', '18'], [100], limits(2, 4)));
      await assert.rejects(store.accept(batchOf('b', ['18', '19'], [100], limits(2, 4))), refused);
      await assert.rejects(store.accept(batchOf('b', ['17', '18', '19'], [100], limits(0, 4))), refused);
      assert.equal((await headOf(store)).seq, 1);
      assert.equal((await store.accept(batchOf('b', ['18', '19'], [100], limits(3, 4)))).outcome, 'accepted');
      assert.equal(
        (await store.accept(batchOf('b', ['18', '19'], [100], limits(3, 4)))).outcome,
        'duplicate',
      );
    });

    test('what is erased is gone as a whole, and what comes later begins anew', async (t) => {
      const store = await open(t);
      await store.accept(batchOf('a', ['17', '18'], [100]));
      const { id } = await headOf(store);
      await store.publish(id, [unit(100, 0, 1)]);
      assert.equal(await store.erase(id), 2);
      assert.equal(await store.head(kind, '3'), undefined);
      assert.deepEqual([await store.units(id, 0), await store.segments(id, 0)], [[], []]);
      assert.equal(await store.publish(id, [unit(100, 0, 1)]), false, 'a roll-up that was under way');
      await store.accept(batchOf('b', ['17'], [100]));
      const next = await headOf(store);
      assert.deepEqual([next.seq, next.entities, next.id === id], [1, 1, false]);
    });

    test('batches that come together are numbered without gaps, and none is lost', async (t) => {
      const store = await open(t);
      const tokens = Array.from({ length: 12 }, (_, index) => `token ${index}`);
      await Promise.all(
        tokens.map((token, index) => store.accept(batchOf(token, [`${index}`, 'all'], [100]))),
      );
      const { id, seq, entities } = await headOf(store);
      assert.deepEqual([seq, entities], [12, 13]);
      const segments = await store.segments(id, 0);
      assert.deepEqual(
        segments.map((segment) => segment.seq),
        tokens.map((_, index) => index + 1),
      );
      const blocks = await store.readSegments(id, segments);
      const clicks = [...blocks.values()].reduce((sum, block) => sum + (block.bounds[0] ?? 0), 0);
      assert.equal(clicks, 24);
    });

    test('a unit is replaced only by whoever knows its generation, and all units of a call or none', async (t) => {
      const store = await open(t);
      await store.accept(batchOf('a', ['17'], [100, 101]));
      const { id } = await headOf(store);
      assert.equal(await store.publish(id, [unit(100, 0, 1)]), true);
      assert.equal(await store.publish(id, [unit(100, 0, 2)]), false, 'another was first');
      const [first] = await store.units(id, 0);
      const generation = first?.generation ?? 0;
      assert.equal(await store.publish(id, [unit(101, 0, 5), unit(100, generation + 1, 2)]), false);
      assert.equal((await store.units(id, 0)).length, 1, 'the other unit is not there either');
      assert.equal(await store.publish(id, [unit(101, 0, 5), unit(100, generation, 2)]), true);
      const newer = await store.units(id, generation);
      assert.deepEqual(newer.map(({ bucket }) => bucket).sort(), [100, 101]);
      const blocks = await store.readUnits(id, newer);
      assert.deepEqual(newer.map((one) => blocks.get(one)?.columns[0]?.[0]).sort(), [2, 5]);
      assert.ok(first);
      assert.equal(
        (await store.readUnits(id, [first])).size,
        0,
        'what was replaced is missing, not another one',
      );
      await store.dropReplaced({ leastRows: 1 });
      assert.equal((await store.readUnits(id, newer)).size, 2, 'what counts is never dropped');
    });

    test('whatever changes raises the version, and deleting raises `pruned` as well', async (t) => {
      const store = await open(t);
      await store.accept(batchOf('a', ['17'], [100]));
      const start = await headOf(store);
      await store.accept(batchOf('b', ['17'], [100]));
      const taken = await headOf(store);
      await store.publish(taken.id, [unit(100, 0, 1)]);
      const published = await headOf(store);
      const [segment] = await store.segments(taken.id, 1);
      assert.ok(segment);
      const [day] = await store.units(taken.id, 0);
      assert.ok(day);
      await store.prune(taken.id, { segments: [segment], seal: [day] });
      const pruned = await headOf(store);
      const versions = [start, taken, published, pruned].map(({ version }) => version);
      assert.deepEqual(
        versions,
        [...new Set(versions)].sort((one, other) => one - other),
      );
      assert.deepEqual([published.pruned, pruned.pruned], [0, 1]);
      assert.deepEqual(
        (await store.segments(taken.id, 0)).map(({ seq }) => seq),
        [1],
      );
      assert.equal((await store.readSegments(taken.id, [segment])).size, 0);
      assert.equal((await store.units(taken.id, 0))[0]?.sealed, true);
      const late = batchOf('c', ['17'], [100]);
      const [cube] = late.cubes;
      assert.ok(cube);
      const sealable = { ...cube, days: cube.days.map((one) => ({ ...one, mayBeSealed: true })) };
      assert.deepEqual(await store.accept({ ...late, cubes: [sealable] }), {
        outcome: 'sealed',
        days: [{ kind, user: '3', day: 100 }],
      });
    });

    test('a difference is written only if no batch came meanwhile', async (t) => {
      const store = await open(t);
      await store.accept(batchOf('a', ['17'], [100]));
      const [cube] = batchOf('b', ['17'], [100]).cubes;
      const day = cube?.days[0];
      assert.ok(day);
      const change = { kind, user: '3', keys: ['17'], day, receivedAt: 1 };
      assert.equal(await store.correctDay({ ...change, seq: 0 }), false);
      assert.equal(await store.correctDay({ ...change, seq: 1 }), true);
      const { id, seq } = await headOf(store);
      assert.deepEqual([seq, (await store.segments(id, 0)).length], [2, 2]);
    });
  });
}
