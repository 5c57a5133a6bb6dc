import { sql } from 'kysely';
import type { Migration } from '../database.ts';

/**
 * Several people administer the installation: pipelines, schedules and accounts know their version and who made it, alerts who has
 * acknowledged or muted them, and workers leave their latest log lines and failures where everybody can read them. Never edit this after a release.
 */
export const colleagues: Migration = {
  name: '0100-colleagues',
  async up(transaction) {
    for (const statement of statements) await sql.raw(statement).execute(transaction);
  },
};

const workerJournal = `CREATE TABLE "workerJournal" (
  "worker" TEXT PRIMARY KEY, "linesJson" TEXT NOT NULL, "failuresJson" TEXT NOT NULL, "updatedAt" BIGINT NOT NULL)`;

const statements = [
  workerJournal,
  ...['pipeline', 'account'].flatMap((table) => [
    `ALTER TABLE "${table}" ADD COLUMN "version" BIGINT NOT NULL DEFAULT 1`,
    `ALTER TABLE "${table}" ADD COLUMN "changedAt" BIGINT`,
    `ALTER TABLE "${table}" ADD COLUMN "changedBy" TEXT`,
  ]),
  `ALTER TABLE "schedule" ADD COLUMN "changedBy" TEXT`,
  `ALTER TABLE "alert" ADD COLUMN "sentenceJson" TEXT`,
  `ALTER TABLE "alert" ADD COLUMN "acknowledgedBy" TEXT`,
  `ALTER TABLE "alert" ADD COLUMN "acknowledgedAt" BIGINT`,
  `ALTER TABLE "alert" ADD COLUMN "note" TEXT`,
  `ALTER TABLE "alert" ADD COLUMN "mutedUntil" BIGINT`,
  `ALTER TABLE "alert" ADD COLUMN "mutedBy" TEXT`,
];
