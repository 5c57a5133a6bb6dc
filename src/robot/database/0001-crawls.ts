import { sql } from 'kysely';
import type { Migration } from '../../engine/database/database.ts';

/** Crawls, their frontier, batches and stored segments, and the addresses that all crawls share. */
export const crawls: Migration = {
  name: '0001-crawls',
  async up(transaction, dialect) {
    const number = dialect === 'sqlite' ? 'INTEGER PRIMARY KEY AUTOINCREMENT' : 'BIGSERIAL PRIMARY KEY';
    const statements = [
      `CREATE TABLE "robot_crawl" ("id" TEXT PRIMARY KEY, "number" BIGINT NOT NULL UNIQUE, "owner" TEXT NOT NULL, "name" TEXT NOT NULL,
        "state" TEXT NOT NULL, "options" TEXT NOT NULL, "statistics" TEXT NOT NULL, "fence" BIGINT NOT NULL DEFAULT 0,
        "createdAt" BIGINT NOT NULL, "startedAt" BIGINT, "finishedAt" BIGINT, UNIQUE ("owner", "name"))`,
      `CREATE TABLE "robot_domain" ("id" BIGINT PRIMARY KEY, "crawl" BIGINT NOT NULL, "origin" TEXT NOT NULL, "host" TEXT NOT NULL,
        "state" TEXT NOT NULL, "addresses" TEXT NOT NULL DEFAULT '[]', "resolvedAt" BIGINT NOT NULL DEFAULT 0, "robots" TEXT,
        "robotsAt" BIGINT NOT NULL DEFAULT 0, "crawlDelayMs" BIGINT NOT NULL DEFAULT 0, "blockedUntil" BIGINT NOT NULL DEFAULT 0,
        "blockLevel" INTEGER NOT NULL DEFAULT 0, "queued" BIGINT NOT NULL DEFAULT 0, "fetched" BIGINT NOT NULL DEFAULT 0,
        "words" BIGINT NOT NULL DEFAULT 0, "bytes" BIGINT NOT NULL DEFAULT 0, "meanMs" DOUBLE PRECISION NOT NULL DEFAULT 0,
        "problem" TEXT, UNIQUE ("crawl", "origin"))`,
      `CREATE TABLE "robot_request" ("domain" BIGINT NOT NULL, "path" TEXT NOT NULL, "kind" TEXT NOT NULL, "depth" INTEGER NOT NULL,
        "rank" INTEGER NOT NULL, "parent" DOUBLE PRECISION NOT NULL, "state" INTEGER NOT NULL, "attempts" INTEGER NOT NULL DEFAULT 0,
        "corrected" INTEGER NOT NULL DEFAULT 0, "hops" INTEGER NOT NULL DEFAULT 0, "via" TEXT, "notBefore" BIGINT NOT NULL DEFAULT 0, "batch" TEXT, "status" INTEGER,
        "usability" DOUBLE PRECISION, "fetchedAt" BIGINT, "segment" BIGINT, "outcome" TEXT, "etag" TEXT, "lastModified" TEXT,
        PRIMARY KEY ("domain", "path"))${dialect === 'sqlite' ? ' WITHOUT ROWID' : ''}`,
      // Small however many pages are done: the cost of the next batch depends on what waits, not on what was.
      `CREATE INDEX "robot_request_queued" ON "robot_request" ("domain", "rank") WHERE "state" = 0`,
      `CREATE INDEX "robot_request_later" ON "robot_request" ("notBefore") WHERE "state" = 5`,
      `CREATE INDEX "robot_request_batch" ON "robot_request" ("batch") WHERE "state" = 1`,
      `CREATE TABLE "robot_links" ("domain" BIGINT NOT NULL, "path" TEXT NOT NULL, "links" TEXT NOT NULL, PRIMARY KEY ("domain", "path"))`,
      `CREATE TABLE "robot_address" ("address" TEXT PRIMARY KEY, "batch" TEXT, "restsUntil" BIGINT NOT NULL DEFAULT 0, "endedAt" BIGINT NOT NULL DEFAULT 0, "lastCrawl" BIGINT)`,
      `CREATE TABLE "robot_interest" ("address" TEXT NOT NULL, "crawl" BIGINT NOT NULL, PRIMARY KEY ("address", "crawl"))`,
      `CREATE TABLE "robot_batch" ("id" TEXT PRIMARY KEY, "crawl" BIGINT NOT NULL, "kind" TEXT NOT NULL, "state" TEXT NOT NULL,
        "plan" TEXT NOT NULL, "addresses" TEXT NOT NULL, "harvester" TEXT, "renewals" BIGINT NOT NULL DEFAULT 0,
        "createdAt" BIGINT NOT NULL, "requests" INTEGER NOT NULL)`,
      `CREATE INDEX "robot_batch_state" ON "robot_batch" ("state", "createdAt")`,
      `CREATE TABLE "robot_result" ("id" ${number}, "crawl" BIGINT NOT NULL, "batch" TEXT NOT NULL, "results" TEXT NOT NULL)`,
      `CREATE INDEX "robot_result_crawl" ON "robot_result" ("crawl", "id")`,
      `CREATE TABLE "robot_segment" ("id" ${number}, "crawl" BIGINT NOT NULL, "blob" TEXT NOT NULL, "size" BIGINT NOT NULL,
        "parts" TEXT NOT NULL, "pages" INTEGER NOT NULL, "createdAt" BIGINT NOT NULL)`,
      `CREATE INDEX "robot_segment_crawl" ON "robot_segment" ("crawl", "id")`,
    ];
    for (const statement of statements) await sql.raw(statement).execute(transaction);
  },
};
