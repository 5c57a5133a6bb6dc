import { createHash, randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { openPostgresPool } from '../database/postgres/pool.ts';
import { PismakError } from '../ground/errors.ts';
import { type Clock, systemClock } from '../time/clock.ts';
import type { Blobs } from './blobs.ts';
import { checkHash, verified } from './content-hash.ts';
import { chunkBytes, chunksOf } from './postgres/chunks.ts';
import { prepareTables } from './postgres/tables.ts';
import { PostgresUploads } from './postgres/uploads.ts';

const pageSize = 1000;
/**
 * Chunks are read in rows of this size, so that a row fits into what the driver reads at once from its socket. It would collect a chunk in
 * buffers of doubled size, as text of twice as many bytes, and leave 10 MB of garbage that V8 counts late because it isn't on the heap.
 */
const sliceBytes = 24 * 1024;
const missing = (hash: string) => new PismakError('blob-missing', `There is no blob ${hash}.`);

/**
 * Blobs as rows of 1 MB in PostgreSQL, for any number of machines. Large objects would not do: they exist only inside a
 * transaction, which a slow reader or writer would keep open for hours; here each row travels in its own statement.
 */
export async function openPostgresBlobs(options: {
  url: string;
  clock?: Clock;
  connections?: number;
}): Promise<Blobs> {
  const { url, clock = systemClock, connections = 5 } = options;
  const pool = await openPostgresPool({ url, max: connections, clock });
  const uploads = new PostgresUploads(pool, clock);
  try {
    await prepareTables(pool);
    await uploads.removeAbandoned();
  } catch (error) {
    await pool.close();
    throw error;
  }

  /** The chunks of one content are always the same, so a second put during a read is harmless. */
  async function* read(hash: string) {
    for (let number = 0; ; number++) {
      const { rows } = await pool.query<{ bytes: Uint8Array | null }>(
        `SELECT substring("bytes" FROM "slice" * ${sliceBytes} + 1 FOR ${sliceBytes}) AS "bytes"
           FROM "blobContent" LEFT JOIN "blobChunk" ON "blobChunk"."upload" = "blobContent"."upload" AND "number" = $2
           CROSS JOIN generate_series(0, (coalesce(length("bytes"), 1) - 1) / ${sliceBytes}) AS "slice"
           WHERE "hash" = $1 ORDER BY "slice"`,
        [hash, number],
      );
      if (!rows[0]) throw missing(hash);
      let length = 0;
      for (const { bytes } of rows) {
        if (bytes === null) return;
        length += bytes.byteLength;
        yield bytes;
      }
      if (length < chunkBytes) return;
    }
  }

  return {
    async put(content) {
      const digest = createHash('sha256');
      const upload = randomUUID();
      let size = 0;
      let sent = 0;
      let last: Uint8Array | undefined;
      try {
        for await (const chunk of chunksOf(content)) {
          if (last) await uploads.add(upload, sent++, last);
          digest.update(chunk);
          size += chunk.byteLength;
          last = chunk;
        }
        const reference = { hash: digest.digest('hex'), size };
        await uploads.publish(upload, reference, sent, last);
        return reference;
      } catch (error) {
        // If this fails too, the upload is removed after a day.
        if (sent > 0) await uploads.abandon(upload).catch(() => {});
        throw error;
      }
    },

    async *get(hash) {
      checkHash(hash);
      yield* verified(read(hash), hash);
    },

    async place(hash, path) {
      checkHash(hash);
      await pipeline(read(hash), createWriteStream(path, { flags: 'wx', mode: 0o400 }));
    },

    async has(hash) {
      checkHash(hash);
      const { rows } = await pool.query(`SELECT 1 FROM "blobContent" WHERE "hash" = $1`, [hash]);
      return rows.length > 0;
    },

    async size(hash) {
      checkHash(hash);
      const { rows } = await pool.query<{ size: number }>(
        `SELECT "size" FROM "blobContent" WHERE "hash" = $1`,
        [hash],
      );
      if (!rows[0]) throw missing(hash);
      return rows[0].size;
    },

    async remove(hash, { storedBefore } = {}) {
      checkHash(hash);
      return uploads.remove(hash, storedBefore);
    },

    async *list() {
      for (let after = ''; ; ) {
        const { rows } = await pool.query<{ hash: string; size: number; storedAt: number }>(
          `SELECT "hash", "size", "storedAt" FROM "blobContent" WHERE "hash" > $1 ORDER BY "hash" LIMIT ${pageSize}`,
          [after],
        );
        yield* rows;
        if (rows.length < pageSize) return;
        after = rows.at(-1)?.hash ?? '';
      }
    },

    close: () => pool.close(),
  };
}
