import type { PostgresPool } from '../../database/postgres/pool.ts';
import type { PooledConnection } from '../../database/postgres/pooled-connection.ts';
import { PismakError } from '../../ground/errors.ts';
import type { Clock } from '../../time/clock.ts';
import type { BlobReference } from '../blobs.ts';

const dayMs = 24 * 60 * 60 * 1000;

/**
 * Writing: chunks are added under the upload's own id, where no reader sees them, and one transaction names them by
 * their content. Content that fits into one chunk is written in that transaction alone.
 */
export class PostgresUploads {
  readonly #pool: PostgresPool;
  readonly #clock: Clock;

  constructor(pool: PostgresPool, clock: Clock) {
    this.#pool = pool;
    this.#clock = clock;
  }

  async add(upload: string, number: number, bytes: Uint8Array): Promise<void> {
    const mark =
      number === 0
        ? `INSERT INTO "blobUpload" ("upload", "touchedAt") VALUES ($1, $4)`
        : `UPDATE "blobUpload" SET "touchedAt" = $4 WHERE "upload" = $1`;
    const { rowCount } = await this.#pool.query(
      `WITH mark AS (${mark} RETURNING "upload")
       INSERT INTO "blobChunk" ("upload", "number", "bytes") SELECT "upload", $2::integer, $3::bytea FROM mark`,
      [upload, number, bytes, this.#clock.now()],
    );
    if (rowCount !== 1) throw sweptAway();
  }

  /** `sent` chunks are already there; `last` is written with the name. */
  async publish(
    upload: string,
    { hash, size }: BlobReference,
    sent: number,
    last: Uint8Array | undefined,
  ): Promise<void> {
    await this.#pool.transaction(async (connection) => {
      await lock(connection, hash);
      if (last) await connection.query(`INSERT INTO "blobChunk" VALUES ($1, $2, $3)`, [upload, sent, last]);
      if (sent > 0) {
        const { rowCount } = await connection.query(`DELETE FROM "blobUpload" WHERE "upload" = $1`, [upload]);
        if (rowCount !== 1) throw sweptAway();
      }
      // Replaces existing content: this renews its time and repairs corrupt content.
      await removeChunks(connection, `SELECT "upload" FROM "blobContent" WHERE "hash" = $1`, hash);
      await connection.query(
        `INSERT INTO "blobContent" ("hash", "size", "upload", "storedAt") VALUES ($1, $2, $3, $4) ON CONFLICT ("hash")
         DO UPDATE SET "upload" = excluded."upload", "size" = excluded."size", "storedAt" = excluded."storedAt"`,
        [hash, size, upload, this.#clock.now()],
      );
    });
  }

  /** Removes the chunks, unless they are published or, with `touchedBefore`, still being written. */
  async abandon(upload: string, touchedBefore = Number.MAX_SAFE_INTEGER): Promise<void> {
    await this.#pool.transaction(async (connection) => {
      // The mark first: the call that deletes it, this or `publish`, decides what happens to the chunks.
      const { rowCount } = await connection.query(
        `DELETE FROM "blobUpload" WHERE "upload" = $1 AND "touchedAt" < $2`,
        [upload, touchedBefore],
      );
      if (rowCount === 1) await removeChunks(connection, '$1', upload);
    });
  }

  /** Removes the chunks of killed writers. */
  async removeAbandoned(): Promise<void> {
    const longAgo = this.#clock.now() - dayMs;
    const { rows } = await this.#pool.query<{ upload: string }>(
      `SELECT "upload" FROM "blobUpload" WHERE "touchedAt" < $1`,
      [longAgo],
    );
    for (const { upload } of rows) await this.abandon(upload, longAgo);
  }

  async remove(hash: string, storedBefore = Number.MAX_SAFE_INTEGER): Promise<boolean> {
    return this.#pool.transaction(async (connection) => {
      await lock(connection, hash);
      const { rows } = await connection.query<{ upload: string }>(
        `DELETE FROM "blobContent" WHERE "hash" = $1 AND "storedAt" < $2 RETURNING "upload"`,
        [hash, Math.ceil(storedBefore)],
      );
      for (const { upload } of rows) await removeChunks(connection, '$1', upload);
      return rows.length > 0;
    });
  }
}

/** Until the transaction ends, no other call puts or removes this content. */
async function lock(connection: PooledConnection, hash: string): Promise<void> {
  await connection.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [hash]);
}

async function removeChunks(connection: PooledConnection, which: string, value: string): Promise<void> {
  await connection.query(`DELETE FROM "blobChunk" WHERE "upload" = (${which})`, [value]);
}

function sweptAway(): PismakError {
  return new PismakError('unavailable', 'The upload was idle for a day and was removed. Start it again.');
}
