import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newRequest, toMessage } from '../request/request.ts';
import { bothDatabases } from '../testing/both-databases.ts';
import { openEmbedded } from '../testing/embedded.ts';
import { systemClock } from '../time/clock.ts';
import { createBacklog } from './backlog.ts';
import { countInBacklog, requestsInBacklog } from './backlog-contents.ts';

for (const { name, open } of await bothDatabases()) {
  test(`${name}: a house can count the waiting items of its batches, with or without one queue`, async (t) => {
    const { database } = await open(t, systemClock);
    const { broker } = await openEmbedded(t);
    const backlog = createBacklog({ broker, database, clock: systemClock });
    const item = (batch: string, uuid: string, ...stages: string[]) => ({
      queue: stages[0] ?? '',
      owner: 'anna',
      batch,
      message: toMessage(newRequest({ uuid, stages, files: [], startedAt: 0 })),
    });
    await database.transaction(async (transaction) => {
      await backlog.add(transaction, [
        item('book', 'a', 'split', 'out'),
        item('book', 'b/c', 'read', 'check', 'out'),
        item('book', 'd', 'read', 'out'),
        item('letter', 'e', 'split', 'out'),
      ]);
      // In the same transaction: a house sees what it has just added.
      assert.deepEqual(await requestsInBacklog(transaction, 'book'), new Set(['a', 'b/c', 'd']));
    });
    await backlog.pause('book');
    const { query } = database;
    const batches = ['book', 'letter', 'none'];
    const most = new Map([
      ['book', 3],
      ['letter', 1],
    ]);
    assert.deepEqual(await countInBacklog(query, batches), most);
    assert.deepEqual(await countInBacklog(query, batches, { exceptQueue: 'split' }), new Map([['book', 2]]));
    assert.deepEqual(await countInBacklog(query, []), new Map());
    const pages = await requestsInBacklog(query, 'book', { exceptQueue: 'split' });
    assert.deepEqual(pages, new Set(['b/c', 'd']));
    for (const [only, found] of [
      ['d', ['d']],
      ['b/c', ['b/c']],
      ['x', []],
      ['%', []],
    ] as const)
      assert.deepEqual(await requestsInBacklog(query, 'book', { only }), new Set(found));
    await backlog.cancel('book');
    assert.deepEqual(await requestsInBacklog(query, 'book'), new Set());
  });
}
