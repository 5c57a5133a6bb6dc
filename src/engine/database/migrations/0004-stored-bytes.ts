import { sql } from 'kysely';
import type { Migration } from '../database.ts';

/** How much users store: what they have put and nothing uses, and what their documents have. Never edited after a release. */
export const storedBytes: Migration = {
  name: '0004-stored-bytes',
  async up(transaction) {
    for (const statement of statements) await sql.raw(statement).execute(transaction);
  },
};

const statements = [
  `ALTER TABLE "blobPut" ADD COLUMN "size" BIGINT NOT NULL DEFAULT 0`,
  // Of what is unused only, and with the size in it: whoever has uploaded 100,000 scans today has few rows here.
  `CREATE INDEX "blobPut_unused" ON "blobPut" ("owner", "at", "size") WHERE "size" > 0`,
  `ALTER TABLE "transcriptionQuota" ADD COLUMN "storageMb" BIGINT`,
  // With the size in it: summed up without reading the rows.
  `CREATE INDEX "source_size" ON "source" ("document", "size")`,
];
