import { sql } from 'kysely';
import type { Migration } from '../database.ts';

/** Views that people save, and requests that failed. Never edit this after a release. */
export const viewsAndFailures: Migration = {
  name: '0090-views-and-failures',
  async up(transaction) {
    for (const statement of statements) await sql.raw(statement).execute(transaction);
  },
};

const statements = [
  `CREATE TABLE "savedView" ("owner" TEXT NOT NULL, "page" TEXT NOT NULL, "name" TEXT NOT NULL, "address" TEXT NOT NULL,
     "changedAt" BIGINT NOT NULL, PRIMARY KEY ("owner", "page", "name"))`,
  `CREATE TABLE "failedRequest" ("owner" TEXT NOT NULL, "uuid" TEXT NOT NULL, "message" TEXT NOT NULL,
     "stage" TEXT NOT NULL, "pipeline" TEXT NOT NULL, "batch" TEXT NOT NULL, "outcome" TEXT NOT NULL, "queue" TEXT NOT NULL,
     "attempt" BIGINT NOT NULL, "reason" TEXT NOT NULL, "detailsJson" TEXT NOT NULL, "startedAt" BIGINT,
     "failedAt" BIGINT NOT NULL, PRIMARY KEY ("owner", "uuid"))`,
  `CREATE INDEX "failedRequest_at" ON "failedRequest" ("failedAt", "uuid")`,
  `CREATE INDEX "failedRequest_owner" ON "failedRequest" ("owner", "failedAt", "uuid")`,
  `CREATE INDEX "failedRequest_uuid" ON "failedRequest" ("uuid")`,
];
