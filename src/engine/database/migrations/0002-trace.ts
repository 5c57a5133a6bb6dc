import { sql } from 'kysely';
import type { Migration } from '../database.ts';

/** What the watchdog saw, period after period: who served what when, and how long the queues were. */
export const trace: Migration = {
  name: '0002-trace',
  async up(transaction) {
    for (const statement of statements) await sql.raw(statement).execute(transaction);
  },
};

const statements = [
  `CREATE TABLE "trace" ("id" TEXT PRIMARY KEY, "since" BIGINT NOT NULL, "until" BIGINT NOT NULL,
     "whole" BIGINT NOT NULL, "size" BIGINT NOT NULL, "eventsJson" TEXT NOT NULL)`,
  // With the size in it: how much there is can be summed up without reading it.
  `CREATE INDEX "trace_until" ON "trace" ("until", "size")`,
  `CREATE INDEX "trace_whole" ON "trace" ("since") WHERE "whole" = 1`,
];
