import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Queries } from '../database/database.ts';
import type { Role } from '../ground/caller.ts';
import { hasCode } from '../ground/errors.ts';
import { requestOwner } from '../request/result-files.ts';
import { bothDatabases } from '../testing/both-databases.ts';
import { putFor } from '../testing/put-for.ts';
import { systemClock } from '../time/clock.ts';
import { checkMayUse, putsAreUsed } from './blob-access.ts';
import { eraseGivenUp, giveUp, giveUpUnowned } from './blob-erasure.ts';
import { disown, own, sweepBlobs } from './blob-owners.ts';

const hour = 3_600_000;
const uuid = '0197a0c4-7d1e-7a52-9c1e-2f6f0d3f8a11';

async function mayUse(queries: Queries, name: string, hash: string, role: Role = 'user'): Promise<boolean> {
  try {
    await checkMayUse({ houses: [] }, queries, { name, role }, hash);
    return true;
  } catch (error) {
    assert.ok(hasCode(error, 'blob-missing'), String(error));
    return false;
  }
}

for (const { name, open } of await bothDatabases()) {
  test(`${name}: the uploader and administrators may use a blob`, async (t) => {
    const parts = await open(t, systemClock);
    const { query } = parts.database;
    const { hash } = await putFor(parts, 'anna', Buffer.from('of anna'));
    assert.equal(await mayUse(query, 'anna', hash), true);
    assert.equal(await mayUse(query, 'bert', hash), false);
    assert.equal(await mayUse(query, 'root', hash, 'admin'), true);
    await putFor(parts, 'bert', Buffer.from('of anna'));
    await putFor(parts, 'bert', Buffer.from('of anna'));
    assert.equal(await mayUse(query, 'bert', hash), true);
    assert.equal((await Array.fromAsync(parts.blobs.list())).length, 1, 'the blob is stored once');
  });

  test(`${name}: the owner of a request may use its blobs while it has them`, async (t) => {
    const parts = await open(t, systemClock);
    const { query } = parts.database;
    const { hash } = await parts.blobs.put(Buffer.from('a result'));
    const request = requestOwner({ uuid, owner: 'ann_' });
    await own(query, hash, request, 0);
    assert.equal(await mayUse(query, 'ann_', hash), true);
    for (const other of ['anna', 'ann', 'bert', '']) assert.equal(await mayUse(query, other, hash), false);
    await disown(query, request);
    assert.equal(await mayUse(query, 'ann_', hash), false);
  });

  test(`${name}: an upload is forgotten with its blob, and after a day`, async (t) => {
    let ahead = 2 * 60_000;
    const clock = { ...systemClock, now: () => systemClock.now() + ahead };
    const parts = await open(t, clock);
    const { query } = parts.database;
    const records = async () =>
      (await query.selectFrom('blobPut').select('hash').execute()).map((row) => row.hash);

    const erased = await putFor(parts, 'anna', Buffer.from('erased'));
    await putsAreUsed(query, [erased.hash], 'anna');
    await giveUpUnowned(query, [erased.hash], clock.now());
    assert.equal(await eraseGivenUp(parts), 1);
    assert.deepEqual(await records(), []);

    const kept = await putFor(parts, 'anna', Buffer.from('kept'));
    const unused = await putFor(parts, 'anna', Buffer.from('unused'));
    await own(query, kept.hash, 'document:1', clock.now());
    await sweepBlobs(parts);
    assert.deepEqual((await records()).sort(), [kept.hash, unused.hash].sort());
    ahead += 25 * hour;
    assert.equal((await sweepBlobs(parts)).deleted, 1);
    assert.deepEqual(await records(), []);
    assert.equal(await parts.blobs.has(kept.hash), true);
  });

  test(`${name}: putting a blob again extends the right to use it by a day`, async (t) => {
    let ahead = 0;
    const clock = { ...systemClock, now: () => systemClock.now() + ahead };
    const parts = await open(t, clock);
    const { hash } = await putFor(parts, 'anna', Buffer.from('again'));
    ahead += 23 * hour;
    await putFor(parts, 'anna', Buffer.from('again'));
    ahead += 2 * hour;
    await sweepBlobs(parts);
    assert.equal(await mayUse(parts.database.query, 'anna', hash), true);
  });

  test(`${name}: a blob that one uploader gives up stays for another`, async (t) => {
    const clock = { ...systemClock, now: () => systemClock.now() + 2 * 60_000 };
    const parts = await open(t, clock);
    const { query } = parts.database;
    const { hash } = await putFor(parts, 'bert', Buffer.from('the same'));
    await own(query, hash, 'document:of carol', clock.now());
    await giveUp(query, 'document:of carol', clock.now());
    assert.equal(await eraseGivenUp(parts), 0);
    assert.equal(await mayUse(query, 'bert', hash), true);
    assert.equal(await parts.blobs.has(hash), true);
  });

  test(`${name}: a blob that is given up and put again stays for another day`, async (t) => {
    const clock = { ...systemClock, now: () => systemClock.now() + 2 * 60_000 };
    const parts = await open(t, clock);
    const { hash } = await putFor(parts, 'anna', Buffer.from('again'));
    await giveUpUnowned(parts.database.query, [hash], clock.now());
    await putFor(parts, 'anna', Buffer.from('again'));
    assert.equal(await eraseGivenUp(parts), 0);
    assert.equal(await mayUse(parts.database.query, 'anna', hash), true);
  });
}
