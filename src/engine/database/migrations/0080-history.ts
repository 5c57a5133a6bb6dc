import { sql } from 'kysely';
import type { Migration } from '../database.ts';

/** Lengths, ages and rates of the last day by the minute, and of the last month by the hour. Never edit this after a release. */
export const history: Migration = {
  name: '0080-history',
  async up(transaction) {
    await sql
      .raw(
        `CREATE TABLE "history" ("resolution" TEXT NOT NULL, "at" BIGINT NOT NULL, "samples" BIGINT NOT NULL,
          "valuesJson" TEXT NOT NULL, PRIMARY KEY ("resolution", "at"))`,
      )
      .execute(transaction);
  },
};
