import type { PostgresPool } from '../../database/postgres/pool.ts';

/** An arbitrary lock number that nothing else uses. */
const tablesLock = 7_061_736_002;

/**
 * `blobContent` lists the blobs; its row is written after all chunks. `blobUpload` has a row for each blob that is being
 * written in several steps.
 */
const statements = [
  `CREATE TABLE IF NOT EXISTS "blobContent" ("hash" TEXT COLLATE "C" PRIMARY KEY, "size" BIGINT NOT NULL, "upload" UUID NOT NULL,
     "storedAt" BIGINT NOT NULL)`,
  `CREATE TABLE IF NOT EXISTS "blobUpload" ("upload" UUID PRIMARY KEY, "touchedAt" BIGINT NOT NULL)`,
  `CREATE TABLE IF NOT EXISTS "blobChunk" ("upload" UUID NOT NULL, "number" INTEGER NOT NULL, "bytes" BYTEA NOT NULL,
     PRIMARY KEY ("upload", "number"))`,
  // Scans and archives are already compressed.
  `ALTER TABLE "blobChunk" ALTER COLUMN "bytes" SET STORAGE EXTERNAL`,
];

/** Creates missing tables. If several processes start at once, one does it and the others wait. */
export async function prepareTables(pool: PostgresPool): Promise<void> {
  // Check first: a user with only row permissions can open the store too.
  const { rows } = await pool.query<{ there: boolean }>(
    `SELECT to_regclass('"blobChunk"') IS NOT NULL AS there`,
  );
  if (rows[0]?.there) return;
  await pool.transaction(async (connection) => {
    await connection.query(`SELECT pg_advisory_xact_lock(${tablesLock})`);
    for (const statement of statements) await connection.query(statement);
  });
}
