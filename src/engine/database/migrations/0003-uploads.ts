import { sql } from 'kysely';
import type { Migration } from '../database.ts';

/** Who put which bytes, and how far an upload in parts is. Never edited after a release. */
export const uploads: Migration = {
  name: '0003-uploads',
  async up(transaction) {
    for (const statement of statements) await sql.raw(statement).execute(transaction);
  },
};

const statements = [
  `CREATE TABLE "blobPut" ("hash" TEXT NOT NULL, "owner" TEXT NOT NULL, "at" BIGINT NOT NULL,
     PRIMARY KEY ("hash", "owner"))`,
  `CREATE INDEX "blobPut_at" ON "blobPut" ("at")`,
  `ALTER TABLE "upload" ADD COLUMN "state" TEXT NOT NULL DEFAULT 'open'`,
  `CREATE INDEX "upload_owner" ON "upload" ("owner", "state")`,
];
