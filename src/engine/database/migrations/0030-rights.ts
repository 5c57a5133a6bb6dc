import { sql } from 'kysely';
import type { Migration } from '../database.ts';

/** Cancelled and open requests, the right to priority, and work counted per owner. Never edit this after a release. */
export const rights: Migration = {
  name: '0030-rights',
  async up(transaction) {
    for (const statement of statements) await sql.raw(statement).execute(transaction);
  },
};

const statements = [
  `CREATE TABLE "cancelled" ("owner" TEXT NOT NULL, "name" TEXT NOT NULL, "at" BIGINT NOT NULL,
     PRIMARY KEY ("owner", "name"))`,
  `CREATE INDEX "cancelled_at" ON "cancelled" ("at")`,
  `CREATE TABLE "openRequest" ("uuid" TEXT NOT NULL, "owner" TEXT NOT NULL, "output" TEXT NOT NULL,
     "house" TEXT NOT NULL,
     "times" BIGINT NOT NULL, "createdAt" BIGINT NOT NULL, PRIMARY KEY ("uuid", "owner"))`,
  `CREATE INDEX "openRequest_owner" ON "openRequest" ("owner", "house")`,
  `CREATE INDEX "openRequest_output" ON "openRequest" ("output")`,
  `CREATE INDEX "openRequest_age" ON "openRequest" ("createdAt")`,
  `CREATE INDEX "outputQueue_owner" ON "outputQueue" ("owner")`,
  `CREATE INDEX "pipeline_owner" ON "pipeline" ("owner")`,
  `ALTER TABLE "account" ADD COLUMN "mayPrioritise" BIGINT NOT NULL DEFAULT 0`,
  `CREATE TABLE "usage" ("owner" TEXT NOT NULL, "kind" TEXT NOT NULL, "month" TEXT NOT NULL,
     "count" BIGINT NOT NULL, PRIMARY KEY ("owner", "kind", "month"))`,
];
