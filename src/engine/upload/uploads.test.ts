import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { checkMayUse, putsAreUsed } from '../blob-owners/blob-access.ts';
import { eraseGivenUp } from '../blob-owners/blob-erasure.ts';
import { readBlob } from '../blobs/blobs.ts';
import { unlimitedDisk } from '../disk/disk-reserve.ts';
import { hasCode } from '../ground/errors.ts';
import { settingsSchema } from '../settings/settings.ts';
import { bothDatabases } from '../testing/both-databases.ts';
import { systemClock } from '../time/clock.ts';
import { forgetUploads, keptMs } from './drop-uploads.ts';
import { finishUpload } from './finish-upload.ts';
import { addPart, startUpload, uploadOffset } from './uploads.ts';

async function* bytes(text: string | Uint8Array): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

/** Content that arrives when the test says so. */
function held(text: string) {
  const begun = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  async function* content() {
    yield Buffer.from(text.slice(0, 1));
    begun.resolve();
    await released.promise;
    yield Buffer.from(text.slice(1));
  }
  return { content: content(), begun: begun.promise, release: released.resolve };
}

const refusedAs = (code: 'conflict' | 'not-found' | 'quota-exceeded' | 'too-large') => (error: unknown) =>
  hasCode(error, code);

for (const { name, open } of await bothDatabases()) {
  const setUp = async (t: Parameters<typeof open>[0], limits: object = {}) => {
    const time = { ahead: 2 * 60_000 };
    const clock = { ...systemClock, now: () => systemClock.now() + time.ahead };
    const settings = settingsSchema.parse({ upload: limits });
    const parts = { ...(await open(t, clock)), settings, disk: unlimitedDisk, finishingUploads: new Map() };
    const stored = async () => (await Array.fromAsync(parts.blobs.list())).length;
    return { parts, time, stored, query: parts.database.query };
  };

  test(`${name}: a part still under way when the upload finishes is refused and leaves nothing`, async (t) => {
    const { parts, query, stored } = await setUp(t);
    const upload = await startUpload(parts, 'anna');
    await addPart(parts, upload, 0, bytes('first '));
    await addPart(parts, upload, 6, bytes('second '));
    const late = held('late');
    const arriving = assert.rejects(addPart(parts, upload, 13, late.content), refusedAs('conflict'));
    await late.begun;
    const { hash, size } = await finishUpload(parts, upload);
    late.release();
    await arriving;
    assert.deepEqual([size, await uploadOffset(query, upload)], [13, 13]);
    assert.equal(Buffer.from(await readBlob(parts.blobs, hash)).toString(), 'first second ');
    await assert.rejects(addPart(parts, upload, 13, bytes('later')), refusedAs('conflict'));
    assert.deepEqual(await finishUpload(parts, upload), { hash, size }, 'and it stays as it was');
    await eraseGivenUp(parts);
    assert.equal(await stored(), 1, 'the parts are gone, the whole is there');
  });

  test(`${name}: under concurrent calls the upload holds exactly the answered parts`, async (t) => {
    const { parts, query } = await setUp(t);
    for (let round = 0; round < 10; round++) {
      const upload = await startUpload(parts, 'anna');
      await addPart(parts, upload, 0, bytes('0123'));
      const [finished, again, ...late] = await Promise.allSettled([
        finishUpload(parts, upload),
        finishUpload(parts, upload),
        ...['ab', 'cde', 'f'].map((text) => addPart(parts, upload, 4, bytes(text))),
      ]);
      assert.ok(finished?.status === 'fulfilled' && again?.status === 'fulfilled', JSON.stringify(finished));
      const taken = late.filter((one) => one.status === 'fulfilled');
      for (const one of late)
        if (one.status === 'rejected') assert.ok(hasCode(one.reason, 'conflict'), String(one.reason));
      assert.ok(taken.length <= 1);
      assert.deepEqual(again.value, finished.value);
      assert.equal(finished.value.size, taken[0]?.value ?? 4);
      assert.equal(await uploadOffset(query, upload), finished.value.size);
    }
  });

  test(`${name}: an upload with an interrupted finish takes no more parts and can be finished again`, async (t) => {
    const { parts } = await setUp(t);
    const upload = await startUpload(parts, 'anna');
    await addPart(parts, upload, 0, bytes('a'));
    await addPart(parts, upload, 1, bytes('b'));
    const put = () => Promise.reject(new Error('the disk is full'));
    await assert.rejects(finishUpload({ ...parts, blobs: { ...parts.blobs, put } }, upload), /disk is full/);
    await assert.rejects(addPart(parts, upload, 2, bytes('c')), refusedAs('conflict'));
    assert.equal((await finishUpload(parts, upload)).size, 2);
  });

  test(`${name}: two engines in one process keep their uploads apart`, async (t) => {
    const { parts } = await setUp(t);
    const { parts: other } = await setUp(t);
    const upload = await startUpload(parts, 'anna');
    await addPart(parts, upload, 0, bytes('a'));
    const finishing = finishUpload(parts, upload);
    await assert.rejects(finishUpload(other, upload), refusedAs('not-found'));
    assert.equal((await finishing).size, 1);
  });

  test(`${name}: open uploads are limited per user, not per key`, async (t) => {
    const { parts, time } = await setUp(t, { open: 2 });
    const first = await startUpload(parts, 'anna');
    await startUpload(parts, 'anna');
    await assert.rejects(startUpload(parts, 'anna'), refusedAs('quota-exceeded'));
    await startUpload(parts, 'bert');
    await addPart(parts, first, 0, bytes('done'));
    await finishUpload(parts, first);
    await startUpload(parts, 'anna');
    await assert.rejects(startUpload(parts, 'anna'), refusedAs('quota-exceeded'));
    time.ahead += keptMs + 60_000;
    assert.equal(await forgetUploads(parts), 4);
    const atOnce = await Promise.allSettled(Array.from({ length: 5 }, () => startUpload(parts, 'anna')));
    assert.equal(atOnce.filter(({ status }) => status === 'fulfilled').length, 2);
  });

  test(`${name}: unused uploads are limited together, finished or not, and refused bytes are deleted`, async (t) => {
    const megabyte = 2 ** 20;
    const { parts, query, stored } = await setUp(t, { unusedMb: 10 });
    const [first, second] = [await startUpload(parts, 'anna'), await startUpload(parts, 'anna')];
    await addPart(parts, first, 0, bytes(randomBytes(6 * megabyte)));
    const { hash } = await finishUpload(parts, first);
    await assert.rejects(
      addPart(parts, second, 0, bytes(randomBytes(5 * megabyte))),
      refusedAs('quota-exceeded'),
    );
    assert.equal(await stored(), 1, 'not even stored');
    // Each has room, but not both.
    const both = await Promise.allSettled(
      [second, await startUpload(parts, 'anna')].map((id) => {
        const content = held('x'.repeat(3 * megabyte).concat(id));
        content.release();
        return addPart(parts, id, 0, content.content);
      }),
    );
    assert.equal(both.filter(({ status }) => status === 'fulfilled').length, 1);
    await eraseGivenUp(parts);
    assert.equal(await stored(), 2);
    const other = await startUpload(parts, 'bert');
    await addPart(parts, other, 0, bytes(randomBytes(9 * megabyte)));
    // A document uses the first one now.
    await putsAreUsed(query, [hash], 'anna');
    const third = await startUpload(parts, 'anna');
    await addPart(parts, third, 0, bytes(randomBytes(6 * megabyte)));
  });

  test(`${name}: an abandoned upload is deleted after a day, with its bytes`, async (t) => {
    const { parts, time, query, stored } = await setUp(t);
    const [broken, finished] = [await startUpload(parts, 'anna'), await startUpload(parts, 'anna')];
    await addPart(parts, broken, 0, bytes('broken off'));
    for (const [offset, text] of [...'whole'].entries()) await addPart(parts, finished, offset, bytes(text));
    const { hash } = await finishUpload(parts, finished);
    await checkMayUse({ houses: [] }, query, { name: 'anna' }, hash);
    time.ahead += keptMs - 60_000;
    assert.equal(await forgetUploads(parts), 0);
    const late = held('late');
    const arriving = assert.rejects(addPart(parts, broken, 10, late.content), refusedAs('not-found'));
    await late.begun;
    time.ahead += 2 * 60_000;
    assert.equal(await forgetUploads(parts), 2);
    late.release();
    await arriving;
    await assert.rejects(finishUpload(parts, finished), refusedAs('not-found'));
    await eraseGivenUp(parts);
    assert.equal(await stored(), 0);
    for (const table of ['upload', 'uploadPart', 'blobRef', 'blobPut', 'blobOrphan'] as const)
      assert.deepEqual(await query.selectFrom(table).selectAll().execute(), [], table);
  });
}
