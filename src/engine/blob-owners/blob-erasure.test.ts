import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bothDatabases } from '../testing/both-databases.ts';
import { openEmbedded } from '../testing/embedded.ts';
import { eventually } from '../testing/eventually.ts';
import { systemClock } from '../time/clock.ts';
import { eraseGivenUp, giveUp, giveUpUnowned, runErasure } from './blob-erasure.ts';
import { own } from './blob-owners.ts';

/** Two minutes ahead of the disk's clock, so every blob has had its minute to find an owner. */
const later = { ...systemClock, now: () => systemClock.now() + 120_000 };

for (const { name, open } of await bothDatabases()) {
  test(`${name}: blobs older than a minute are erased at once, younger ones later`, async (t) => {
    const parts = await open(t, systemClock);
    const { blobs, database } = parts;
    const { hash } = await blobs.put(Buffer.from('a letter'));
    await own(database.query, hash, 'mail:1', systemClock.now());
    await database.transaction((transaction) => giveUp(transaction, 'mail:1', systemClock.now()));
    assert.equal(await eraseGivenUp(parts), 0, 'an uploader of the same blob may be about to own it');
    assert.equal(await blobs.has(hash), true);
    assert.equal(await eraseGivenUp({ ...parts, clock: later }), 1);
    assert.equal(await blobs.has(hash), false);
    assert.equal(await eraseGivenUp({ ...parts, clock: later }), 0);
  });

  test(`${name}: a blob stays while it has an owner, even one that came after it was given up`, async (t) => {
    const parts = { ...(await open(t, later)), clock: later };
    const { blobs, database } = parts;
    const shared = await blobs.put(Buffer.from('of two'));
    const rescued = await blobs.put(Buffer.from('owned again'));
    for (const owner of ['mail:1', 'mail:2']) await own(database.query, shared.hash, owner, later.now());
    await giveUp(database.query, 'mail:1', later.now());
    await giveUpUnowned(database.query, [rescued.hash, shared.hash], later.now());
    await own(database.query, rescued.hash, 'mail:3', later.now());
    assert.equal(await eraseGivenUp(parts), 0);
    await giveUp(database.query, 'mail:2', later.now());
    await giveUp(database.query, 'mail:3', later.now());
    assert.equal(await eraseGivenUp(parts), 2);
  });

  test(`${name}: a blob given up in a failed transaction stays`, async (t) => {
    const parts = { ...(await open(t, later)), clock: later };
    const { hash } = await parts.blobs.put(Buffer.from('kept'));
    await own(parts.database.query, hash, 'mail:1', later.now());
    const failing = parts.database.transaction(async (transaction) => {
      await giveUp(transaction, 'mail:1', later.now());
      throw new Error('the house changed its mind');
    });
    await assert.rejects(failing);
    assert.equal(await eraseGivenUp(parts), 0);
    assert.equal(await parts.blobs.has(hash), true);
  });
}

test('the engine erases given-up blobs by itself', async (t) => {
  const engine = await openEmbedded(t, { clock: later });
  const { hash } = await engine.blobs.put(Buffer.from('a letter'));
  await giveUpUnowned(engine.database.query, [hash], later.now());
  const service = runErasure(engine);
  t.after(() => service.close());
  await eventually('the blob is gone', async () => !(await engine.blobs.has(hash)));
});
