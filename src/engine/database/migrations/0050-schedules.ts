import { sql } from 'kysely';
import type { Migration } from '../database.ts';

/** Schedules have versions, and runs remember who cancelled them. Never edit this after a release. */
export const schedules: Migration = {
  name: '0050-schedules',
  async up(transaction) {
    for (const statement of statements) await sql.raw(statement).execute(transaction);
  },
};

const statements = [
  `ALTER TABLE "schedule" ADD COLUMN "version" BIGINT NOT NULL DEFAULT 1`,
  `ALTER TABLE "scheduleRun" ADD COLUMN "cancelledBy" TEXT`,
];
