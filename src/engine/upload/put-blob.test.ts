import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { putsAreUsed } from '../blob-owners/blob-access.ts';
import { eraseGivenUp } from '../blob-owners/blob-erasure.ts';
import { unlimitedDisk } from '../disk/disk-reserve.ts';
import { hasCode } from '../ground/errors.ts';
import { settingsSchema } from '../settings/settings.ts';
import { bothDatabases } from '../testing/both-databases.ts';
import { systemClock } from '../time/clock.ts';
import { putBlob } from './put-blob.ts';

const megabyte = 1024 * 1024;
const hour = 3_600_000;

async function* some(size: number): AsyncGenerator<Uint8Array> {
  for (let left = size; left > 0; left -= 50_000) yield randomBytes(Math.min(left, 50_000));
}

// biome-ignore lint/correctness/useYield: the test must not read from it
async function* untouched(): AsyncGenerator<Uint8Array> {
  assert.fail('the bytes were read');
}

const refused = (error: unknown) => {
  assert.ok(hasCode(error, 'quota-exceeded'), String(error));
  assert.match(error.message, /take \d+ bytes .* the limit is \d+ MB \(setting upload\.unusedMb\)/);
  return true;
};

for (const { name, open } of await bothDatabases()) {
  const setUp = async (t: Parameters<typeof open>[0], unusedMb = 5) => {
    const time = { ahead: 2 * 60_000 };
    const clock = { ...systemClock, now: () => systemClock.now() + time.ahead };
    const settings = settingsSchema.parse({ upload: { unusedMb } });
    const parts = { ...(await open(t, clock)), settings, disk: unlimitedDisk };
    const put = (owner: string, size: number) => putBlob(parts, owner, some(size));
    const stored = async () => (await Array.fromAsync(parts.blobs.list())).length;
    return { parts, time, put, stored, query: parts.database.query };
  };

  test(`${name}: unused uploads of a user are limited, and using or forgetting them makes room`, async (t) => {
    const { time, put, stored, query } = await setUp(t);
    const { hash } = await put('anna', 3 * megabyte);
    await assert.rejects(put('anna', 3 * megabyte), refused);
    assert.equal(await stored(), 1, 'a refused upload leaves nothing');
    await put('bert', 3 * megabyte);
    await putsAreUsed(query, [hash], 'bert');
    await assert.rejects(put('anna', 3 * megabyte), refused, 'use by another user makes no room');
    await putsAreUsed(query, [hash], 'anna');
    await put('anna', 3 * megabyte);
    await assert.rejects(put('anna', 3 * megabyte), refused);
    time.ahead += 25 * hour;
    await put('anna', 3 * megabyte);
  });

  test(`${name}: an announced size over the limit is refused unread`, async (t) => {
    const { parts, put } = await setUp(t);
    const announce = (size: number) => putBlob(parts, 'anna', untouched(), size);
    await assert.rejects(announce(5 * megabyte + 1), refused);
    await put('anna', 4 * megabyte + 1);
    await assert.rejects(announce(1), refused, 'small uploads count as 1 MB');
  });

  test(`${name}: concurrent uploads together stay within the limit`, async (t) => {
    const { parts, put, stored } = await setUp(t);
    const results = await Promise.allSettled(Array.from({ length: 5 }, () => put('anna', 2 * megabyte)));
    for (const one of results) if (one.status === 'rejected') refused(one.reason);
    assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 2);
    await eraseGivenUp(parts);
    assert.equal(await stored(), 2);
  });

  test(`${name}: the number of small uploads is limited too`, async (t) => {
    const { put } = await setUp(t);
    for (let count = 0; count < 5; count++) await put('anna', 10);
    await assert.rejects(put('anna', 10), refused);
  });

  test(`${name}: uploads of a version without sizes count nothing, and 0 means no limit`, async (t) => {
    const { parts, put, query } = await setUp(t, 1);
    const { hash } = await parts.blobs.put(randomBytes(megabyte));
    await query.insertInto('blobPut').values({ hash, owner: 'anna', at: parts.clock.now() }).execute();
    await put('anna', megabyte);
    await assert.rejects(put('anna', 10), refused);
    parts.settings.upload.unusedMb = 0;
    await put('anna', 2 * megabyte);
  });
}
