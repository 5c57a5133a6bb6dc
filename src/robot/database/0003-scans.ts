import { sql } from 'kysely';
import type { Migration } from '../../engine/database/database.ts';

/** Pages of files without text that a pipeline is to read. */
export const scans: Migration = {
  name: '0003-scans',
  async up(transaction) {
    const statements = [
      `CREATE TABLE "robot_scan" ("uuid" TEXT PRIMARY KEY, "crawl" BIGINT NOT NULL, "pipeline" TEXT NOT NULL, "owner" TEXT NOT NULL,
        "document" TEXT NOT NULL, "page" INTEGER NOT NULL, "blob" TEXT NOT NULL, "state" TEXT NOT NULL, "notBefore" BIGINT NOT NULL)`,
      `CREATE INDEX "robot_scan_state" ON "robot_scan" ("state", "notBefore")`,
      `CREATE INDEX "robot_scan_crawl" ON "robot_scan" ("crawl")`,
    ];
    for (const statement of statements) await sql.raw(statement).execute(transaction);
  },
};
