import { sql } from 'kysely';
import type { Migration } from '../database.ts';

/** The backlog releases lane by lane, and knows which later stages an item goes through. */
export const turns: Migration = {
  name: '0020-turns',
  async up(transaction) {
    for (const statement of statements) await sql.raw(statement).execute(transaction);
  },
};

const statements = [
  `ALTER TABLE "backlog" ADD COLUMN "route" TEXT NOT NULL DEFAULT ''`,
  `CREATE INDEX "backlog_turn" ON "backlog" ("paused", "queue", "lane", "route", "owner", "notBefore", "id")`,
  `DROP INDEX "backlog_next"`,
  `CREATE INDEX "backlog_queue" ON "backlog" ("queue")`,
];
