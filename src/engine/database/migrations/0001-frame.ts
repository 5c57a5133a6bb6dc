import { sql } from 'kysely';
import type { Migration } from '../database.ts';

/**
 * The engine's first released schema, in SQL that both dialects read (SQLite takes BIGINT and BYTEA by affinity).
 * Never edit it after a release: add a new migration instead.
 */
export const frame: Migration = {
  name: '0001-frame',
  async up(transaction) {
    for (const statement of statements) await sql.raw(statement).execute(transaction);
  },
};

const statements = [
  `CREATE TABLE "stage" ("name" TEXT PRIMARY KEY, "version" BIGINT NOT NULL, "definitionJson" TEXT NOT NULL,
     "updatedAt" BIGINT NOT NULL)`,
  `CREATE TABLE "stageVersion" ("name" TEXT NOT NULL, "version" BIGINT NOT NULL, "definitionJson" TEXT NOT NULL,
     "changedAt" BIGINT NOT NULL, "changedBy" TEXT NOT NULL, PRIMARY KEY ("name", "version"))`,
  `CREATE TABLE "pipeline" ("name" TEXT PRIMARY KEY, "stagesJson" TEXT NOT NULL, "owner" TEXT NOT NULL,
     "createdAt" BIGINT NOT NULL)`,
  `CREATE TABLE "outputQueue" ("name" TEXT PRIMARY KEY, "owner" TEXT NOT NULL, "createdAt" BIGINT NOT NULL)`,

  `CREATE TABLE "account" ("name" TEXT PRIMARY KEY, "passwordHash" TEXT NOT NULL, "role" TEXT NOT NULL,
     "disabled" BIGINT NOT NULL DEFAULT 0, "createdAt" BIGINT NOT NULL)`,
  `CREATE TABLE "session" ("tokenHash" TEXT PRIMARY KEY, "account" TEXT NOT NULL, "createdAt" BIGINT NOT NULL,
     "expiresAt" BIGINT NOT NULL)`,
  `CREATE INDEX "session_account" ON "session" ("account")`,
  `CREATE TABLE "apiKey" ("id" TEXT PRIMARY KEY, "hash" TEXT NOT NULL UNIQUE, "name" TEXT NOT NULL,
     "owner" TEXT NOT NULL, "role" TEXT NOT NULL, "scopesJson" TEXT NOT NULL, "createdAt" BIGINT NOT NULL,
     "lastUsedAt" BIGINT, "uses" BIGINT NOT NULL DEFAULT 0, "revokedAt" BIGINT)`,
  `CREATE TABLE "audit" ("id" TEXT PRIMARY KEY, "at" BIGINT NOT NULL, "actor" TEXT NOT NULL,
     "operation" TEXT NOT NULL, "inputJson" TEXT NOT NULL, "outcome" TEXT NOT NULL, "address" TEXT NOT NULL)`,
  `CREATE TABLE "secret" ("name" TEXT PRIMARY KEY, "value" TEXT NOT NULL, "createdAt" BIGINT NOT NULL)`,

  `CREATE TABLE "outbox" ("id" TEXT PRIMARY KEY, "queue" TEXT NOT NULL, "messageId" TEXT NOT NULL,
     "lane" TEXT NOT NULL, "headersJson" TEXT NOT NULL, "body" BYTEA NOT NULL, "createdAt" BIGINT NOT NULL)`,
  `CREATE INDEX "outbox_next" ON "outbox" ("queue", "id")`,
  `CREATE TABLE "backlog" ("id" TEXT PRIMARY KEY, "queue" TEXT NOT NULL, "owner" TEXT NOT NULL,
     "weight" DOUBLE PRECISION NOT NULL, "batch" TEXT NOT NULL, "messageId" TEXT NOT NULL, "lane" TEXT NOT NULL,
     "headersJson" TEXT NOT NULL, "body" BYTEA NOT NULL, "notBefore" BIGINT NOT NULL,
     "paused" BIGINT NOT NULL DEFAULT 0, "createdAt" BIGINT NOT NULL)`,
  `CREATE INDEX "backlog_next" ON "backlog" ("queue", "paused", "owner", "notBefore", "id")`,
  `CREATE INDEX "backlog_batch" ON "backlog" ("batch", "paused")`,
  `CREATE TABLE "schedule" ("name" TEXT PRIMARY KEY, "definitionJson" TEXT NOT NULL,
     "enabled" BIGINT NOT NULL DEFAULT 1, "owner" TEXT NOT NULL, "updatedAt" BIGINT NOT NULL)`,
  `CREATE TABLE "scheduleRun" ("id" TEXT PRIMARY KEY, "schedule" TEXT NOT NULL, "tick" TEXT NOT NULL,
     "status" TEXT NOT NULL, "parametersJson" TEXT NOT NULL, "startedAt" BIGINT NOT NULL, "endedAt" BIGINT,
     "log" TEXT NOT NULL, "fence" BIGINT NOT NULL, UNIQUE ("schedule", "tick"))`,
  `CREATE TABLE "alert" ("id" TEXT PRIMARY KEY, "kind" TEXT NOT NULL, "entity" TEXT NOT NULL,
     "reason" TEXT NOT NULL, "detailsJson" TEXT NOT NULL, "raisedAt" BIGINT NOT NULL, "lastSeenAt" BIGINT NOT NULL,
     "clearedAt" BIGINT, "seen" BIGINT NOT NULL)`,
  `CREATE UNIQUE INDEX "alert_open" ON "alert" ("kind", "entity") WHERE "clearedAt" IS NULL`,
  `CREATE TABLE "blobRef" ("hash" TEXT NOT NULL, "owner" TEXT NOT NULL, "createdAt" BIGINT NOT NULL,
     PRIMARY KEY ("hash", "owner"))`,
  `CREATE INDEX "blobRef_owner" ON "blobRef" ("owner")`,
  `CREATE TABLE "blobOrphan" ("hash" TEXT PRIMARY KEY, "since" BIGINT NOT NULL)`,
  `CREATE TABLE "blobPut" ("hash" TEXT NOT NULL, "owner" TEXT NOT NULL, "at" BIGINT NOT NULL,
     "size" BIGINT NOT NULL DEFAULT 0, PRIMARY KEY ("hash", "owner"))`,
  `CREATE INDEX "blobPut_at" ON "blobPut" ("at")`,
  // Only rows of unused blobs, with the size in the index: an owner with 100,000 uploads today has few rows here.
  `CREATE INDEX "blobPut_unused" ON "blobPut" ("owner", "at", "size") WHERE "size" > 0`,
  `CREATE TABLE "upload" ("id" TEXT PRIMARY KEY, "owner" TEXT NOT NULL, "createdAt" BIGINT NOT NULL,
     "state" TEXT NOT NULL DEFAULT 'open', "hash" TEXT, "size" BIGINT NOT NULL DEFAULT 0)`,
  `CREATE INDEX "upload_owner" ON "upload" ("owner", "state", "size")`,
  `CREATE INDEX "upload_hash" ON "upload" ("hash") WHERE "hash" IS NOT NULL`,
  `CREATE TABLE "uploadPart" ("upload" TEXT NOT NULL, "offset" BIGINT NOT NULL, "size" BIGINT NOT NULL,
     "hash" TEXT NOT NULL, PRIMARY KEY ("upload", "offset"))`,

  `CREATE TABLE "trace" ("id" TEXT PRIMARY KEY, "since" BIGINT NOT NULL, "until" BIGINT NOT NULL,
     "whole" BIGINT NOT NULL, "size" BIGINT NOT NULL, "eventsJson" TEXT NOT NULL)`,
  // The size is in the index, so that summing it up reads no rows.
  `CREATE INDEX "trace_until" ON "trace" ("until", "size")`,
  `CREATE INDEX "trace_whole" ON "trace" ("since") WHERE "whole" = 1`,

  `CREATE TABLE "coordinationNode" ("path" TEXT PRIMARY KEY, "value" TEXT NOT NULL, "version" BIGINT NOT NULL)`,
  `CREATE TABLE "coordinationFence" ("path" TEXT PRIMARY KEY, "fence" BIGINT NOT NULL)`,
];
