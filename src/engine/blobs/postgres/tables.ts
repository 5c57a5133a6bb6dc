import type { PostgresPool } from '../../database/postgres/pool.ts';

/** Any number that no one else takes. */
const tablesLock = 7_061_736_002;

/**
 * `blobContent` says what there is; a row of it is written when all its chunks are. `blobUpload` has a row for each that
 * is being written in several steps.
 */
const statements = [
  `CREATE TABLE IF NOT EXISTS "blobContent" ("hash" TEXT COLLATE "C" PRIMARY KEY, "size" BIGINT NOT NULL, "upload" UUID NOT NULL,
     "storedAt" BIGINT NOT NULL)`,
  `CREATE TABLE IF NOT EXISTS "blobUpload" ("upload" UUID PRIMARY KEY, "touchedAt" BIGINT NOT NULL)`,
  `CREATE TABLE IF NOT EXISTS "blobChunk" ("upload" UUID NOT NULL, "number" INTEGER NOT NULL, "bytes" BYTEA NOT NULL,
     PRIMARY KEY ("upload", "number"))`,
  // Scans and archives are compressed already.
  `ALTER TABLE "blobChunk" ALTER COLUMN "bytes" SET STORAGE EXTERNAL`,
];

/** Makes the tables unless they are there; of several who come at once, one does it and the others wait. */
export async function prepareTables(pool: PostgresPool): Promise<void> {
  // Asked first: who may only read and write rows can open too.
  const { rows } = await pool.query<{ there: boolean }>(
    `SELECT to_regclass('"blobChunk"') IS NOT NULL AS there`,
  );
  if (rows[0]?.there) return;
  await pool.transaction(async (connection) => {
    await connection.query(`SELECT pg_advisory_xact_lock(${tablesLock})`);
    for (const statement of statements) await connection.query(statement);
  });
}
