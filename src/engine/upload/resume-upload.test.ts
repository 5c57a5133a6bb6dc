import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { putsAreUsed } from '../blob-owners/blob-access.ts';
import { eraseGivenUp } from '../blob-owners/blob-erasure.ts';
import { unlimitedDisk } from '../disk/disk-reserve.ts';
import { hasCode } from '../ground/errors.ts';
import { settingsSchema } from '../settings/settings.ts';
import { bothDatabases } from '../testing/both-databases.ts';
import { systemClock } from '../time/clock.ts';
import { deleteUpload } from './drop-uploads.ts';
import { finishUpload } from './finish-upload.ts';
import { resumeUpload } from './resume-upload.ts';
import { addPart } from './uploads.ts';

const text = 'a model';
const hash = createHash('sha256').update(text).digest('hex');
const anna = { name: 'anna', role: 'user' } as const;
const bert = { name: 'bert', role: 'user' } as const;

async function* bytes(content: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(content);
}

for (const { name, open } of await bothDatabases()) {
  const setUp = async (t: Parameters<typeof open>[0], limits: object = {}) => {
    const clock = { ...systemClock, now: () => systemClock.now() + 2 * 60_000 };
    const settings = settingsSchema.parse({ upload: limits });
    return {
      ...(await open(t, clock)),
      settings,
      disk: unlimitedDisk,
      houses: [],
      finishingUploads: new Map(),
    };
  };

  test(`${name}: an upload is resumed by its user only, until it is finished`, async (t) => {
    const parts = await setUp(t);
    const { upload, offset } = await resumeUpload(parts, anna, hash);
    assert.equal(offset, 0);
    await addPart(parts, upload, 0, bytes('a mo'));
    assert.deepEqual(await resumeUpload(parts, anna, hash), { upload, offset: 4 });
    assert.equal((await resumeUpload(parts, bert, hash)).offset, 0);
    assert.notEqual((await resumeUpload(parts, anna, '00'.repeat(32))).upload, upload);
    await addPart(parts, upload, 4, bytes('del'));
    assert.deepEqual(await finishUpload(parts, upload), { hash, size: 7 });
    assert.equal((await resumeUpload(parts, bert, hash)).offset, 0, 'a hash alone gives nothing');
  });

  test(`${name}: what its user may name is there at once, and counts against the limit`, async (t) => {
    const parts = await setUp(t, { unusedMb: 1 });
    const first = await resumeUpload(parts, anna, hash);
    await addPart(parts, first.upload, 0, bytes(text));
    await finishUpload(parts, first.upload);
    await assert.rejects(resumeUpload(parts, anna, hash), (error) => hasCode(error, 'quota-exceeded'));
    await putsAreUsed(parts.database.query, [hash], 'anna');
    const again = await resumeUpload(parts, anna, hash);
    assert.equal(again.offset, 7);
    assert.deepEqual(await finishUpload(parts, again.upload), { hash, size: 7 });
    await assert.rejects(addPart(parts, again.upload, 7, bytes('more')), (error) =>
      hasCode(error, 'conflict'),
    );
  });

  test(`${name}: what was erased is sent again, and what was about to be erased is kept`, async (t) => {
    const parts = await setUp(t);
    const first = await resumeUpload(parts, anna, hash);
    await addPart(parts, first.upload, 0, bytes(text));
    await finishUpload(parts, first.upload);
    await parts.database.query.insertInto('blobOrphan').values({ hash, since: 0 }).execute();
    const admin = { name: 'root', role: 'admin' } as const;
    const again = await resumeUpload(parts, admin, hash);
    assert.equal(again.offset, 7);
    assert.equal(await eraseGivenUp(parts), 0);
    await deleteUpload(parts, first.upload);
    await deleteUpload(parts, again.upload);
    assert.equal(await eraseGivenUp(parts), 1);
    assert.equal((await resumeUpload(parts, admin, hash)).offset, 0);
  });
}
