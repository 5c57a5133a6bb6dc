import { sql } from 'kysely';
import type { Migration } from '../../engine/database/database.ts';

/** When pages are visited again, what reserves text and data mining, and the harvesters of each process. */
export const revisits: Migration = {
  name: '0002-revisits',
  async up(transaction) {
    const statements = [
      `ALTER TABLE "robot_request" ADD COLUMN "exact" TEXT`,
      `ALTER TABLE "robot_request" ADD COLUMN "revisitMs" BIGINT NOT NULL DEFAULT 0`,
      `CREATE INDEX "robot_request_revisit" ON "robot_request" ("notBefore") WHERE "state" = 2 AND "notBefore" > 0`,
      `ALTER TABLE "robot_domain" ADD COLUMN "tdm" TEXT`,
      `ALTER TABLE "robot_domain" ADD COLUMN "tdmAt" BIGINT NOT NULL DEFAULT 0`,
      `CREATE TABLE "robot_harvester" ("process" TEXT PRIMARY KEY, "host" TEXT NOT NULL, "wanted" INTEGER, "threads" INTEGER NOT NULL,
        "batches" INTEGER NOT NULL, "inFlight" INTEGER NOT NULL, "busy" DOUBLE PRECISION NOT NULL, "seenAt" BIGINT NOT NULL)`,
    ];
    for (const statement of statements) await sql.raw(statement).execute(transaction);
  },
};
