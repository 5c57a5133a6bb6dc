import { sql } from 'kysely';
import type { Migration } from '../../src/engine/database/database.ts';

/** Apart from tables.ts, which operations load: commands start faster without the database. */
export const createEntries: Migration = {
  name: '0001-entries',
  async up(transaction) {
    await sql`CREATE TABLE "guestbook_entry" ("id" TEXT PRIMARY KEY, "owner" TEXT NOT NULL, "text" TEXT NOT NULL,
      "createdAt" BIGINT NOT NULL)`.execute(transaction);
  },
};
