import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import { utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { Blobs } from '../blobs/blobs.ts';
import { openDirectoryBlobs } from '../blobs/directory.ts';
import { engineMigrations } from '../database/open.ts';
import { openSqliteDatabase } from '../database/sqlite.ts';
import { temporaryDirectory } from '../testing/temporary-directory.ts';
import { ManualClock } from '../time/clock.ts';
import { disown, own, sweepBlobs } from './blob-owners.ts';

const hour = 3_600_000;

async function setUp(context: TestContext) {
  const directory = await temporaryDirectory(context);
  const clock = new ManualClock();
  const database = await openSqliteDatabase({ file: join(directory, 'test.db'), clock });
  context.after(() => database.close());
  await database.migrate(engineMigrations);
  const blobs = await openDirectoryBlobs(directory);
  /** Puts at the time of the test's clock. */
  const put = async (text: string) => {
    const { hash } = await blobs.put(Buffer.from(text));
    const now = new Date(clock.now());
    await utimes(join(directory, hash.slice(0, 2), hash), now, now);
    return hash;
  };
  const parts = { database, blobs, clock };
  const orphans = () => database.query.selectFrom('blobOrphan').select('hash').execute();
  return { ...parts, put, orphans, sweep: (using: Blobs = blobs) => sweepBlobs({ ...parts, blobs: using }) };
}

test('a blob stays while it has an owner', async (context) => {
  const { database, blobs, clock, put, sweep } = await setUp(context);
  const hash = await put('kept');
  await own(database.query, hash, 'document:1', clock.now());
  await own(database.query, hash, 'document:1', clock.now());
  await own(database.query, hash, 'document:2', clock.now());
  for (let day = 0; day < 3; day++) {
    clock.advance(25 * hour);
    assert.deepEqual(await sweep(), { seen: 1, orphans: 0, deleted: 0, deletedBytes: 0 });
  }
  await disown(database.query, 'document:1');
  await sweep();
  clock.advance(25 * hour);
  assert.equal((await sweep()).deleted, 0);
  assert.equal(await blobs.has(hash), true);
});

test('a blob is deleted a day after it was first found without an owner, not before', async (context) => {
  const { database, blobs, clock, put, orphans, sweep } = await setUp(context);
  const hash = await put('doomed');
  await own(database.query, hash, 'mail:1', clock.now());
  clock.advance(100 * hour);
  await disown(database.query, 'mail:1');
  assert.equal((await sweep()).orphans, 1);
  clock.advance(24 * hour - 1);
  assert.equal((await sweep()).deleted, 0);
  clock.advance(1);
  assert.deepEqual(await sweep(), { seen: 1, orphans: 1, deleted: 1, deletedBytes: 6 });
  assert.equal(await blobs.has(hash), false);
  assert.deepEqual(await orphans(), []);
});

test('an owner in time resets the day', async (context) => {
  const { database, blobs, clock, put, orphans, sweep } = await setUp(context);
  const hash = await put('wanted again');
  await sweep();
  clock.advance(23 * hour);
  await own(database.query, hash, 'request:1', clock.now());
  assert.deepEqual(await orphans(), []);
  await disown(database.query, 'request:1');
  await sweep();
  clock.advance(23 * hour);
  assert.equal((await sweep()).deleted, 0);
  assert.equal(await blobs.has(hash), true);
});

test('a blob that was put again less than a day ago stays, however long it was an orphan', async (context) => {
  const { blobs, clock, put, sweep } = await setUp(context);
  const hash = await put('back');
  await sweep();
  clock.advance(48 * hour);
  await put('back');
  assert.equal((await sweep()).deleted, 0);
  clock.advance(24 * hour + 1);
  assert.equal((await sweep()).deleted, 1);
  assert.equal(await blobs.has(hash), false);
});

test('an owner that comes during a sweep keeps the blob or comes after its deletion, never in between', async (context) => {
  const { database, blobs, clock, put, sweep } = await setUp(context);
  const hash = await put('contended');
  await sweep();
  clock.advance(25 * hour);

  // Comes after the sweep reads the list and before it decides.
  async function* ownedMeanwhile() {
    for await (const blob of blobs.list()) {
      await own(database.query, hash, 'late:1', clock.now());
      yield blob;
    }
  }
  assert.equal((await sweep({ ...blobs, list: ownedMeanwhile })).deleted, 0);
  assert.equal(await blobs.has(hash), true);

  await disown(database.query, 'late:1');
  await sweep();
  clock.advance(25 * hour);
  // Comes after the sweep decides: it waits until the blob is gone, so a later check sees the truth.
  const events: string[] = [];
  let owning: Promise<unknown> | undefined;
  const remove: Blobs['remove'] = async (name, options) => {
    // As another caller would: not from inside the sweep's transaction.
    owning = outside(() => own(database.query, hash, 'late:2', clock.now())).then(() => events.push('owned'));
    const removed = await blobs.remove(name, options);
    events.push('removed');
    return removed;
  };
  const outside = AsyncLocalStorage.snapshot();
  await sweep({ ...blobs, remove });
  await owning;
  assert.deepEqual(events, ['removed', 'owned']);
});

test('a sweep handles more blobs than one batch, and interruption', async (context) => {
  const { database, blobs, clock, put, sweep } = await setUp(context);
  await Promise.all(Array.from({ length: 250 }, (_, number) => put(`number ${number}`)));
  const stopped = AbortSignal.abort();
  assert.equal((await sweepBlobs({ database, blobs, clock, signal: stopped })).seen, 0);
  assert.equal((await sweep()).orphans, 250);
  clock.advance(24 * hour + 1);
  assert.equal((await sweep()).deleted, 250);
});
