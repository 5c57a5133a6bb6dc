import { sql } from 'kysely';
import type { Migration } from '../../engine/database/database.ts';

/** Not in tables.ts, which operations load: commands start faster without these. */
export const migrations: readonly Migration[] = [
  {
    name: '0001-mails',
    async up(transaction) {
      const statements = [
        sql`CREATE TABLE "mail_type" ("code" TEXT NOT NULL, "version" INTEGER NOT NULL, "definition" TEXT NOT NULL,
          "createdAt" BIGINT NOT NULL, "isCurrent" INTEGER NOT NULL, PRIMARY KEY ("code", "version"))`,
        sql`CREATE TABLE "mail_mail" ("id" TEXT PRIMARY KEY, "owner" TEXT NOT NULL, "type" TEXT NOT NULL,
          "version" INTEGER NOT NULL, "class" TEXT NOT NULL, "recipient" TEXT NOT NULL, "fields" TEXT NOT NULL,
          "language" TEXT NOT NULL, "state" TEXT NOT NULL, "attempts" INTEGER NOT NULL DEFAULT 0,
          "takes" INTEGER NOT NULL DEFAULT 0, "unknowns" INTEGER NOT NULL DEFAULT 0, "campaign" TEXT NOT NULL DEFAULT '', "variant" TEXT NOT NULL DEFAULT '',
          "createdAt" BIGINT NOT NULL, "notAfter" BIGINT NOT NULL, "changedAt" BIGINT NOT NULL, "sentAt" BIGINT,
          "relay" TEXT NOT NULL DEFAULT '', "answer" TEXT NOT NULL DEFAULT '')`,
        // Lists of an owner's mails skip campaigns.
        sql`CREATE INDEX "mail_mail_owner" ON "mail_mail" ("owner", "createdAt") WHERE "campaign" = ''`,
        sql`CREATE INDEX "mail_mail_campaign" ON "mail_mail" ("campaign", "state") WHERE "campaign" <> ''`,
        // Files to delete once the last mail that names them is sent.
        sql`CREATE TABLE "mail_file" ("path" TEXT NOT NULL, "mail" TEXT NOT NULL, PRIMARY KEY ("path", "mail"))`,
        sql`CREATE INDEX "mail_file_mail" ON "mail_file" ("mail")`,
        // Mails that need attention: few rows, however many mails exist.
        sql`CREATE INDEX "mail_mail_trouble" ON "mail_mail" ("state", "changedAt")
          WHERE "state" IN ('unknown', 'failed', 'expired')`,
        sql`CREATE TABLE "mail_campaign" ("id" TEXT PRIMARY KEY, "owner" TEXT NOT NULL, "name" TEXT NOT NULL,
          "type" TEXT NOT NULL, "version" INTEGER NOT NULL, "state" TEXT NOT NULL, "audience" TEXT NOT NULL,
          "source" INTEGER NOT NULL DEFAULT 0, "position" BIGINT NOT NULL DEFAULT 0, "read" BIGINT NOT NULL DEFAULT 0,
          "generated" BIGINT NOT NULL DEFAULT 0, "repeated" BIGINT NOT NULL DEFAULT 0, "refused" BIGINT NOT NULL DEFAULT 0,
          "startAt" BIGINT NOT NULL DEFAULT 0, "after" TEXT NOT NULL DEFAULT '', "problem" TEXT NOT NULL DEFAULT '',
          "createdAt" BIGINT NOT NULL, "startedAt" BIGINT, "endedAt" BIGINT, UNIQUE ("owner", "name"))`,
        sql`CREATE TABLE "mail_suppressed" ("address" TEXT NOT NULL, "class" TEXT NOT NULL, "reason" TEXT NOT NULL,
          "createdAt" BIGINT NOT NULL, PRIMARY KEY ("address", "class"))`,
        sql`CREATE TABLE "mail_request" ("owner" TEXT NOT NULL, "key" TEXT NOT NULL, "mail" TEXT NOT NULL,
          "createdAt" BIGINT NOT NULL, PRIMARY KEY ("owner", "key"))`,
        sql`CREATE TABLE "mail_secret" ("name" TEXT PRIMARY KEY, "value" TEXT NOT NULL)`,
      ];
      for (const statement of statements) await statement.execute(transaction);
    },
  },
  {
    name: '0002-erased-addresses',
    async up(transaction) {
      await sql`CREATE TABLE "mail_erased" ("key" TEXT PRIMARY KEY, "at" BIGINT NOT NULL)`.execute(
        transaction,
      );
    },
  },
  {
    // Whole mails in a queue have no row yet.
    name: '0003-cancelled-mails',
    async up(transaction) {
      await sql`CREATE TABLE "mail_cancelled" ("mail" TEXT PRIMARY KEY, "at" BIGINT NOT NULL)`.execute(
        transaction,
      );
    },
  },
  {
    name: '0004-replies',
    async up(transaction) {
      await sql`CREATE TABLE "mail_reply" ("campaign" TEXT NOT NULL, "mail" TEXT NOT NULL, "kind" TEXT NOT NULL,
        "variant" TEXT NOT NULL, PRIMARY KEY ("campaign", "mail", "kind"))`.execute(transaction);
    },
  },
];
