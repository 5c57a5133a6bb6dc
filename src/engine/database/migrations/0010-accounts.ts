import { sql } from 'kysely';
import type { Migration } from '../database.ts';

/** Sign-in limits, sessions that can be listed, keys that expire, names that are not reused, webhook secrets. */
export const accounts: Migration = {
  name: '0010-accounts',
  async up(transaction) {
    for (const statement of statements) await sql.raw(statement).execute(transaction);
  },
};

const statements = [
  `ALTER TABLE "session" ADD COLUMN "address" TEXT NOT NULL DEFAULT ''`,
  `ALTER TABLE "session" ADD COLUMN "lastUsedAt" BIGINT`,
  `ALTER TABLE "apiKey" ADD COLUMN "expiresAt" BIGINT`,
  `CREATE INDEX "apiKey_owner" ON "apiKey" ("owner")`,

  `CREATE TABLE "retiredName" ("name" TEXT PRIMARY KEY, "retiredAt" BIGINT NOT NULL, "retiredBy" TEXT NOT NULL)`,
  `CREATE TABLE "signInFailure" ("scope" TEXT NOT NULL, "subject" TEXT NOT NULL, "shown" TEXT,
     "failures" BIGINT NOT NULL, "lastAt" BIGINT NOT NULL, "turnAt" BIGINT NOT NULL DEFAULT 0,
     PRIMARY KEY ("scope", "subject"))`,
  `CREATE INDEX "signInFailure_oldest" ON "signInFailure" ("failures", "lastAt")`,

  // Repeated entries are one row: how often, and when last.
  `ALTER TABLE "audit" ADD COLUMN "count" BIGINT NOT NULL DEFAULT 1`,
  `ALTER TABLE "audit" ADD COLUMN "lastAt" BIGINT`,
  `ALTER TABLE "audit" ADD COLUMN "owner" TEXT`,
  `CREATE INDEX "audit_at" ON "audit" ("at", "id")`,

  `CREATE TABLE "webhookSecret" ("id" TEXT PRIMARY KEY, "owner" TEXT NOT NULL, "value" TEXT NOT NULL,
     "createdAt" BIGINT NOT NULL, "endsAt" BIGINT)`,
  `CREATE UNIQUE INDEX "webhookSecret_current" ON "webhookSecret" ("owner") WHERE "endsAt" IS NULL`,
  `CREATE INDEX "webhookSecret_owner" ON "webhookSecret" ("owner")`,
];
