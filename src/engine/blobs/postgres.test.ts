import assert from 'node:assert/strict';
import { after, describe, type TestContext, test } from 'node:test';
import { openPostgresPool } from '../database/postgres/pool.ts';
import { hasCode } from '../ground/errors.ts';
import { startPostgres } from '../testing/servers/postgres.ts';
import { type Clock, ManualClock, systemClock } from '../time/clock.ts';
import { readBlob } from './blobs.ts';
import { chunkBytes } from './postgres/chunks.ts';
import { openPostgresBlobs } from './postgres.ts';
import { blobsContract } from './testing/contract.ts';

const server = await startPostgres();
after(() => server.close());

/** An empty store, and a way to look behind it. */
async function store(context: TestContext) {
  const url = await server.createDatabase();
  const pool = await openPostgresPool({ url, max: 1 });
  context.after(() => pool.close());
  const count = async (table: string) =>
    (await pool.query<{ count: number }>(`SELECT count(*) FROM "${table}"`)).rows[0]?.count;
  const open = async (clock?: Clock) => {
    const blobs = await openPostgresBlobs({ url, ...(clock && { clock }) });
    context.after(() => blobs.close());
    return blobs;
  };
  return { url, pool, count, open };
}

blobsContract('PostgreSQL', async (context) => {
  const { pool, url } = await store(context);
  return {
    open: () => openPostgresBlobs({ url }),
    async damage(hash) {
      await pool.query(
        `UPDATE "blobChunk" SET "bytes" = set_byte("bytes", 1000, 63)
         WHERE "upload" = (SELECT "upload" FROM "blobContent" WHERE "hash" = $1) AND "number" = 0`,
        [hash],
      );
    },
  };
});

/** Pieces that fit no chunk. */
async function* pieces(total: number) {
  for (let left = total, number = 0; left > 0; left -= 77_777, number++) {
    yield Buffer.alloc(Math.min(left, 77_777), `piece ${number}`);
  }
}

describe('blobs in PostgreSQL', () => {
  test('content of any length around the chunk size comes back', async (context) => {
    const blobs = await (await store(context)).open();
    for (const size of [1, chunkBytes - 1, chunkBytes, chunkBytes + 1, 2 * chunkBytes, 3 * chunkBytes + 5]) {
      const streamed = await blobs.put(pieces(size));
      const content = await readBlob(blobs, streamed.hash);
      assert.equal(content.byteLength, size);
      assert.deepEqual(await blobs.put(content), streamed);
    }
  });

  test('a producer may reuse the memory of its pieces', async (context) => {
    const blobs = await (await store(context)).open();
    const memory = Buffer.alloc(1000);
    async function* reusing() {
      for (let number = 0; number < 5; number++) yield memory.fill(number);
    }
    const { hash } = await blobs.put(reusing());
    assert.equal((await readBlob(blobs, hash)).byteLength, 5000);
  });

  test('a late broken input leaves no chunk, and neither does a second put or a removal', async (context) => {
    const { open, count } = await store(context);
    const blobs = await open();
    async function* breaking() {
      yield* pieces(3 * chunkBytes);
      throw new Error('connection reset');
    }
    await assert.rejects(blobs.put(breaking()), /connection reset/);
    assert.deepEqual([await count('blobChunk'), await count('blobUpload')], [0, 0]);
    await Promise.all([1, 2, 3].map(() => blobs.put(pieces(3 * chunkBytes))));
    assert.deepEqual([await count('blobChunk'), await count('blobUpload')], [3, 0]);
    const [blob] = await Array.fromAsync(blobs.list());
    await blobs.remove(blob?.hash ?? '');
    assert.equal(await count('blobChunk'), 0);
  });

  test('a put that dies with the server stays invisible and is removed after a day', async (context) => {
    const { open, count } = await store(context);
    const clock = new ManualClock(systemClock.now());
    const blobs = await open();
    async function* interrupted() {
      yield* pieces(3 * chunkBytes);
      await server.primary.kill();
      yield* pieces(3 * chunkBytes);
    }
    await assert.rejects(blobs.put(interrupted()), (error) => hasCode(error, 'unavailable'));
    await server.primary.start();
    assert.deepEqual(await Array.fromAsync(blobs.list()), []);
    assert.ok(await count('blobChunk'));

    await open(clock);
    assert.equal(await count('blobUpload'), 1);
    clock.advance(25 * 60 * 60 * 1000);
    await open(clock);
    assert.deepEqual([await count('blobChunk'), await count('blobUpload')], [0, 0]);
  });

  test('a stalled upload that was removed fails and leaves nothing', async (context) => {
    const { open, count } = await store(context);
    const [blobs, clock] = [await open(), new ManualClock(systemClock.now() + 25 * 60 * 60 * 1000)];
    async function* slow() {
      yield* pieces(3 * chunkBytes);
      await open(clock);
    }
    await assert.rejects(blobs.put(slow()), /Start it again/);
    assert.deepEqual([await count('blobChunk'), await count('blobUpload')], [0, 0]);
  });

  test('content that is put again during a read is read to the end', async (context) => {
    const blobs = await (await store(context)).open();
    const { hash, size } = await blobs.put(pieces(4 * chunkBytes));
    let read = 0;
    for await (const chunk of blobs.get(hash)) {
      read += chunk.byteLength;
      await blobs.put(pieces(4 * chunkBytes));
    }
    assert.equal(read, size);
  });

  test('removing old blobs while they are put again never loses a blob', async (context) => {
    const { open, pool } = await store(context);
    const blobs = await open();
    const content = Buffer.from('contended');
    const { hash } = await blobs.put(content);
    for (let round = 0; round < 50; round++) {
      await pool.query(`UPDATE "blobContent" SET "storedAt" = 1`);
      const both = [blobs.put(content), blobs.remove(hash, { storedBefore: 1000 })];
      await Promise.all(round % 2 === 0 ? both : both.reverse());
      assert.deepEqual(Buffer.from(await readBlob(blobs, hash)), content, `round ${round}`);
    }
  });

  test('several processes can open an empty store at once', async (context) => {
    const { open } = await store(context);
    const all = await Promise.all([open(), open(), open(), open()]);
    const puts = await Promise.all(all.map((blobs) => blobs.put(Buffer.from('shared'))));
    for (const { hash } of puts) assert.equal(await all[0]?.has(hash), true);
  });
});
